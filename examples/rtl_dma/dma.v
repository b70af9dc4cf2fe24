// A DMA engine: copies bytes from one place to another, in bursts of up to 16 words of an AXI4 master, programmed by registers behind APB.
//
//   0x00 from, 0x04 to    multiples of 4
//   0x08 bytes            any number: the strobes of the last word say how many of its bytes are written
//   0x0c start            any write begins a copy; `busy` is 1 until it ends
//   0x10 errors           responses other than OKAY since the start
module dma (
    input clk, input rst_n, output busy,
    input psel, input penable, input pwrite, input [7:0] paddr, input [31:0] pwdata, output reg [31:0] prdata, output pready, output pslverr,
    output reg awvalid, input awready, output [31:0] awaddr, output [7:0] awlen, output [2:0] awsize, output [1:0] awburst,
    output reg wvalid, input wready, output [31:0] wdata, output [3:0] wstrb, output wlast, input bvalid, output bready, input [1:0] bresp,
    output reg arvalid, input arready, output [31:0] araddr, output [7:0] arlen, output [2:0] arsize, output [1:0] arburst,
    input rvalid, output rready, input [31:0] rdata, input [1:0] rresp, input rlast);

  localparam IDLE = 0, READ = 1, WRITE = 2, RESPONSE = 3;
  reg [1:0] state;
  reg [31:0] from, to, left, errors;  // `left`: bytes
  reg [31:0] buffer[0:15];
  reg [4:0] filled, sent;

  // A burst: what is left, 16 words, and neither side beyond the next multiple of 4 KiB.
  function [31:0] least(input [31:0] a, input [31:0] b);
    least = a < b ? a : b;
  endfunction
  wire [31:0] words_left = (left + 3) >> 2;
  wire [31:0] room = least((32'd4096 - {20'd0, from[11:0]}) >> 2, (32'd4096 - {20'd0, to[11:0]}) >> 2);
  wire [31:0] beats = least(least(words_left, 32'd16), room);
  wire [31:0] bytes_behind = left - {25'd0, sent, 2'd0};

  assign busy = state != IDLE;
  assign pready = 1, pslverr = psel && paddr > 8'h10;
  assign awaddr = to, awlen = beats[7:0] - 1, awsize = 2, awburst = 1;
  assign araddr = from, arlen = beats[7:0] - 1, arsize = 2, arburst = 1;
  assign wdata = buffer[sent[3:0]], wlast = {27'd0, sent} + 1 == beats;
  assign wstrb = bytes_behind >= 4 ? 4'b1111 : bytes_behind == 3 ? 4'b0111 : bytes_behind == 2 ? 4'b0011 : 4'b0001;
  assign rready = state == READ, bready = state == RESPONSE;

  always @(*)
    case (paddr)
      8'h00: prdata = from;
      8'h04: prdata = to;
      8'h08: prdata = left;
      8'h10: prdata = errors;
      default: prdata = 0;
    endcase

  always @(posedge clk)
    if (!rst_n) begin
      {state, from, to, left, errors, filled, sent, awvalid, wvalid, arvalid} <= 0;
    end else begin
      if (psel && penable && pwrite && state == IDLE)
        case (paddr)
          8'h00: from <= pwdata;
          8'h04: to <= pwdata;
          8'h08: left <= pwdata;
          8'h0c: if (left != 0) begin state <= READ; arvalid <= 1; filled <= 0; errors <= 0; end
          default: ;
        endcase
      case (state)
        READ: begin
          if (arready) arvalid <= 0;
          if (rvalid) begin
            buffer[filled[3:0]] <= rdata;
            filled <= filled + 1;
            if (rresp != 0) errors <= errors + 1;
            if (rlast) begin state <= WRITE; awvalid <= 1; wvalid <= 1; sent <= 0; end
          end
        end
        WRITE: begin
          if (awready) awvalid <= 0;
          if (wvalid && wready) begin
            sent <= sent + 1;
            if (wlast) begin wvalid <= 0; state <= RESPONSE; end
          end
        end
        RESPONSE: if (bvalid) begin
          if (bresp != 0) errors <= errors + 1;
          from <= from + (beats << 2);
          to <= to + (beats << 2);
          left <= left > beats << 2 ? left - (beats << 2) : 0;
          filled <= 0;
          if (left > beats << 2) begin state <= READ; arvalid <= 1; end else state <= IDLE;
        end
        default: ;
      endcase
    end
endmodule
