// A controller of a NAND channel: command, address and data cycles as of ONFI's, over a PHY that carries four bytes a clock (a byte at each
// edge of a strobe of twice the clock's rate: 400 MT/s at 100 MHz). Command and address cycles take the lowest of the four.
//
// One command at a time: `start` with `op`, place and length; data of a program is taken from the buffer, that of a read given to it, a word
// a clock; `done` ends it, with the CRC-32 of the data. While the die is busy nothing changes, so the clock may stand still.
module flash_channel (
    input clk, input rst_n,
    input start, input [1:0] op, input [15:0] column, input [23:0] row, input [15:0] words, output reg done, output reg [31:0] crc,
    input [31:0] from_buffer, output take, output reg [31:0] to_buffer, output reg give,
    output reg ce_n, output reg cle, output reg ale, output reg we_n, output reg re_n, output reg [31:0] dq_out, input [31:0] dq_in, input rb_n,
    output reg [3:0] state);

  localparam READ = 0, PROGRAM = 1, ERASE = 2;
  localparam IDLE = 0, COMMAND = 1, ADDRESS = 2, DATA_IN = 3, CONFIRM = 4, SETTLE = 5, BUSY = 6, DATA_OUT = 7, DONE = 8;
  localparam T_WB = 10;  // clocks until R/B# is low: 100 ns

  reg [15:0] count;
  wire [2:0] address_cycles = op == ERASE ? 3 : 5;  // an erase has no column
  wire [39:0] address = op == ERASE ? {16'd0, row} : {row, column};

  function [31:0] crc_of(input [31:0] crc_in, input [31:0] word);
    integer i;
    begin
      crc_of = crc_in ^ word;
      for (i = 0; i < 32; i = i + 1) crc_of = (crc_of >> 1) ^ (crc_of[0] ? 32'hEDB88320 : 32'd0);
    end
  endfunction

  assign take = state == DATA_IN;

  always @(posedge clk)
    if (!rst_n) begin
      {state, count, done, give, crc, to_buffer, dq_out} <= 0;
      {ce_n, cle, ale, we_n, re_n} <= 5'b10011;
    end else begin
      {cle, ale, we_n, re_n, give, done} <= 6'b001100;
      count <= count + 1;
      case (state)
        IDLE: if (start) begin state <= COMMAND; ce_n <= 0; crc <= 32'hFFFFFFFF; end
        COMMAND: begin
          cle <= 1; we_n <= 0; dq_out <= op == READ ? 32'h00 : op == PROGRAM ? 32'h80 : 32'h60;
          state <= ADDRESS; count <= 0;
        end
        ADDRESS: begin
          ale <= 1; we_n <= 0; dq_out <= {24'd0, address[8 * count[2:0] +: 8]};
          if (count + 1 == {13'd0, address_cycles}) begin state <= op == PROGRAM ? DATA_IN : CONFIRM; count <= 0; end
        end
        DATA_IN: begin
          we_n <= 0; dq_out <= from_buffer; crc <= crc_of(crc, from_buffer);
          if (count + 1 == words) state <= CONFIRM;
        end
        CONFIRM: begin
          cle <= 1; we_n <= 0; dq_out <= op == READ ? 32'h30 : op == PROGRAM ? 32'h10 : 32'hD0;
          state <= SETTLE; count <= 0;
        end
        SETTLE: if (count + 1 == T_WB) state <= BUSY;
        BUSY: if (rb_n) begin state <= op == READ && words != 0 ? DATA_OUT : DONE; re_n <= op != READ; count <= 0; end
        DATA_OUT: begin
          re_n <= 0; give <= 1; to_buffer <= dq_in; crc <= crc_of(crc, dq_in);
          if (count + 1 == words) begin state <= DONE; re_n <= 1; end
        end
        DONE: begin ce_n <= 1; done <= 1; state <= IDLE; end
        default: state <= IDLE;
      endcase
    end
endmodule
