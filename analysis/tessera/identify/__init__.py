"""From anybody's drive to a description: fio jobs that take a drive apart, and what their logs say of it."""
