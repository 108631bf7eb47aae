"""The look of the report's page."""

STYLE = """
:root { --ink: #1c2430; --soft: #5d6878; --line: #dde2e9; --paper: #ffffff; --ground: #f4f6f9;
  --first: #2f6fb2; --second: #d98a2b; --bad: #b3423a; --good: #3b7d5a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #98a3b3; --line: #2f3743;
  --paper: #1a2029; --ground: #12171e; --first: #6ea8e5; --second: #e8ab5c; --bad: #e5857d;
  --good: #74c69a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 40px 0 4px; }
h3 { font-size: 15px; margin: 0 0 6px; }
p { margin: 4px 0 12px; max-width: 78ch; }
.soft, figcaption, .note { color: var(--soft); }
.note { font-size: 13px; margin-top: 12px; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 6px 0 14px; }
.key:first-child { margin-left: 0; }
.key0 { background: var(--first); } .key1 { background: var(--second); }
.tiles { display: grid; gap: 12px; margin: 20px 0 0;
  grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); }
.tile, figure, .card { background: var(--paper); border: 1px solid var(--line);
  border-radius: 8px; }
.tile { padding: 12px 14px; }
.tile b { display: block; font-size: 25px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile .soft { font-size: 13px; white-space: nowrap; }
.tile i { display: block; font-style: normal; color: var(--second); font-size: 18px;
  line-height: 1.3; }
.charts { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); }
.three { grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); }
figure { margin: 0; padding: 14px 16px 12px; min-width: 0; }
figcaption { font-size: 13px; margin-top: 6px; }
figcaption .key, .keyed .key { margin-left: 0; }
svg { display: block; width: 100%; height: auto; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { fill: var(--soft); font-size: 11px; }
svg .bar0 { fill: var(--first); } svg .bar1 { fill: var(--second); }
svg .even { fill: none; stroke: var(--ink); stroke-width: 1.3; stroke-dasharray: 4 3;
  opacity: .75; }
.card { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 10px; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { color: var(--soft); font-weight: 600; font-size: 13px; border-bottom: 1px solid var(--line); }
tbody tr + tr td { border-top: 1px solid var(--line); }
td.word, th.word { text-align: left; }
.share { position: relative; min-width: 120px; }
.share span { position: absolute; left: 0; top: 20%; bottom: 20%; background: var(--first);
  opacity: .28; border-radius: 3px; }
.share1 span { background: var(--second); }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--first); padding: 4px 0; }
.pair { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); }
@media print { body { background: #fff; } details { display: block; } }
"""
