# The results and the pictures of docs/gallery, each with its command: ./dev gallery runs all of it and keeps the pictures.

tessera run demo --layer mu-rmw --workload web-server --fold --caches empty --limit 60000 --requests --events --places --out out/run
tessera run demo --layer fluid --workload web-server --fold --caches empty --limit 100000 --replay closed:8 --places --intervals "2 s" --out out/fluid
tessera run demo --layer mu-rmw --workload web-server --fold --caches empty --limit 60000 \
  --timeline merge.json --record-trigger merge --record-before "100 ms" --record-after "600 ms" --out out/merge
tessera compare demo --layers cmr,imr-rmw,imr-cache,mu-rmw,fluid --workload web-server --fold --caches empty --limit 20000 --requests --out out/layers
cat > flash.toml <<'END'
[run]
drive = "demo"
workload = "web-server"
limit = 4000
caches = "empty"
fold = true
replay = "closed:8"
[axes]
layer = ["mu-rmw", "pore", "skylight-flash"]
"nand.blocks" = [192, 256, 384, 512]
seed = [1, 2, 3]
END
tessera sweep flash.toml --out out/flash
cat > search.toml <<'END'
[run]
drive = "demo"
workload = "web-server"
limit = 4000
caches = "empty"
fold = true
replay = "closed:8"
[axes]
layer = ["mu-rmw", "pore", "fluid", "imr-cache"]
"controller.clock" = { from = "25 MHz", to = "400 MHz", scale = "log" }
[[branch]]
where = { layer = ["mu-rmw", "pore"] }
axes = { "nand.blocks" = { from = 160, to = 480, steps = 9 } }
[objectives]
host.latency.mean = "minimise"
cost = "minimise"
[cost]
nand.blocks = { price = 0.1, per = 1 }
controller.clock = { price = 0.02, per = "MHz" }
[search]
trials = 64
END
tessera search search.toml --out out/search

tessera plot out/layers --only latency-tail --out latency-tail.png
tessera plot out/run --only latency-over-time --out latency-over-time.png
tessera plot out/run --only life --out life.png
tessera plot out/run --only causes --out causes.png
tessera plot out/layers --only write-amplification --out write-amplification.png
tessera plot out/layers --only energy --out energy.png
tessera plot out/layers --only bus --out bus.png
tessera plot merge.json --out timeline.png
tessera plot out/run --only track-heat --out track-heat.png
tessera plot out/fluid --only occupancy --out occupancy.png
tessera plot out/fluid --only bands --out bands.png
tessera plot out/run --only wear --out wear.png
tessera plot out/flash --x nand.blocks --y layer --metric host.latency.mean --out heat.png
tessera plot out/search --only pareto --out pareto.png
tessera curve out/run --out miss-ratio.png
