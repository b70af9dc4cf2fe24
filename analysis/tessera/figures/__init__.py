"""Pictures: what they show (`pictures`), and how that is drawn by matplotlib and by Plotly in one style."""
