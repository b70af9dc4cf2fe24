// A host in RTL: writes a word to a block and reads it back, again and again; counts answers, and those that hold another word.
module host_adapter (
    input clk, input rst, output reg req, output reg write, output reg [31:0] block, output reg [31:0] word,
    input done, input [31:0] answer, output reg [15:0] ended, output reg [15:0] wrong);

  always @(posedge clk)
    if (rst) begin
      {req, ended, wrong} <= 0;
      write <= 1;
      block <= 0;
      word <= 32'h5eed0001;
    end else if (!req) begin
      req <= 1;
    end else if (done) begin
      req <= 0;
      ended <= ended + 1;
      write <= !write;
      if (!write) begin
        if (answer != word) wrong <= wrong + 1;
        block <= block + 32'd7919;
        word <= {word[30:0], word[31] ^ word[21] ^ word[1] ^ word[0]};
      end
    end
endmodule
