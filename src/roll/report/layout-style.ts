/** The layout: one column on a phone, drawings in boxes that scroll by themselves, a page for print. */
export const LAYOUT_STYLE = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:16px 20px 64px}
h1{font-size:1.5rem;line-height:1.3;margin:.2em 0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2em 0 .4em}
h3{font-size:1rem;margin:1.4em 0 .3em;overflow-wrap:anywhere}
p,ul,ol,dl{margin:.4em 0}
code,kbd{font:.92em/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
kbd{border:1px solid var(--outline);border-radius:3px;padding:0 .3em}
a{color:var(--leave)}
.where,.quiet,caption,dt{color:var(--quiet)}
.word{display:inline-block;border:2px solid var(--text);border-radius:4px;padding:0 .4em;margin-right:.2em;font-weight:700}
.word.completed{border-color:var(--done);background:var(--done);color:var(--onFill)}
.word.stopped,.word.aborted{border-color:var(--fail);background:var(--fail);color:var(--onFill)}
.word.held,.word.interrupted{border-color:var(--hold);background:var(--hold);color:var(--onFill)}
.why{font-size:1.125rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5em 1.5em}
.card dl,#evidence dl{display:block;max-width:72rem}
.card dl div,#evidence dl div{display:grid;grid-template-columns:9rem minmax(0,1fr);gap:.8em}
dt{font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
.facts dd{font-weight:600}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;font-size:.875rem;padding:.2em 0}
th,td{text-align:left;padding:.25em .7em .25em 0;border-bottom:1px solid var(--hair);vertical-align:top;font-weight:400}
thead th{color:var(--quiet);font-size:.875rem}
th[scope=row]{overflow-wrap:break-word}
.next h2{font-size:1rem;margin:1em 0 0}
.next ul{margin:.2em 0}
.nodes{font-size:.9375rem}
.n{text-align:right;white-space:nowrap}
.rules td:nth-child(2){white-space:normal;overflow-wrap:anywhere}
tr.bad td{font-weight:700;color:var(--fail)}
.wide-box,.scroll{overflow-x:auto;max-width:100%}
figure{margin:.6em 0}
.overview{display:block;width:100%;background:var(--paper);border-bottom:1px solid var(--hair);position:sticky;top:0;z-index:3;padding:0 64px 0 196px}
.view{stroke:var(--outline)}
.drawing{min-width:1100px}
.row{display:grid;grid-template-columns:196px minmax(0,1fr) 64px;align-items:center}
p.row.rest{display:block;font-size:.875rem;color:var(--quiet)}
.name,.total{font-size:.875rem;line-height:1.25}
.name{position:sticky;left:0;z-index:2;align-self:stretch;align-content:center;background:var(--paper);padding-right:10px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.row.rest,.fold summary{position:sticky;left:0;width:max-content;max-width:90vw;z-index:2}
.chart .total{align-self:start}
.total{text-align:right;font-variant-numeric:tabular-nums}
.node .name{font-weight:600;white-space:normal;overflow-wrap:anywhere}
.chart .name{align-content:start}
.band .name,.axis .name{font-size:.75rem;line-height:1;color:var(--quiet)}
.bar{display:block;width:100%;overflow:visible;font-family:system-ui,sans-serif}
.row.node{padding-top:6px}
.row.lane{padding-top:4px}
.row.chart{padding-top:8px}
.legend{display:flex;flex-wrap:wrap;gap:.2em 1.2em;padding:0;list-style:none;font-size:.875rem;color:var(--quiet)}
.mark{cursor:default;outline:none}
.mark:focus>*:first-child,.mark.kept>*:first-child{stroke:var(--text);stroke-width:2;paint-order:stroke}
.mark:focus-visible{outline:2px solid var(--text);outline-offset:1px}
#detail.told{position:sticky;bottom:0}
#detail{z-index:4;min-height:5.6em;white-space:pre-line;padding:.5em .8em;margin-top:.5em;background:var(--ground);border:1px solid var(--outline);border-radius:4px;font-size:.9375rem;overflow-wrap:anywhere}
#detail.kept{border-width:2px;border-color:var(--text)}
.tools{display:flex;flex-wrap:wrap;gap:.4em;margin:.4em 0}
button{font:inherit;font-size:.9375rem;min-height:32px;min-width:32px;padding:0 .7em;color:var(--text);background:var(--ground);border:1px solid var(--outline);border-radius:4px}
button:focus-visible,a:focus-visible,summary:focus-visible,input:focus-visible{outline:2px solid var(--text);outline-offset:2px}
.card{border:1px solid var(--outline);border-radius:4px;padding:.2em 1em .6em;margin:.8em 0}
.card h3{margin-top:.5em}
summary{min-height:24px;padding:.15em 0;overflow-wrap:anywhere}
.node ol,.node ul{font-size:.9375rem;overflow-wrap:anywhere}
.hold{padding-left:1em;border-left:3px double var(--text)}
.theme{display:flex;flex-wrap:wrap;justify-content:flex-end;gap:0 1em;max-width:1240px;margin:0 auto;font-size:.875rem}
.theme span{color:var(--quiet)}
.theme span,.theme label{display:inline-flex;align-items:center;min-height:24px}
[hidden]{display:none!important}
@media (max-width:760px){
main{padding:8px 14px 48px}
.theme{justify-content:flex-start}
.overview{padding:0}
.drawing{min-width:0}
.drawing:not(.small):not(.zoomed) .label,.drawing:not(.small) .minor{display:none}
.row{grid-template-columns:1fr auto}
.row .bar{grid-column:1/-1;grid-row:2}
.name{grid-row:1;justify-self:start;max-width:300px}
.total{position:sticky;right:0;background:var(--paper);padding-left:8px}
.more{display:none}
.card dl div,#evidence dl div{grid-template-columns:1fr;gap:0;margin-bottom:.3em}
button{min-height:40px}
table{font-size:.9375rem}
th,td{padding-right:.5em}
.n,td,.rules .n{white-space:normal}
.latency .n{white-space:nowrap}
#detail{min-height:3.4em;font-size:.875rem}
}
.compared td{min-width:9rem;max-width:26rem;overflow-wrap:anywhere}
.compared svg{display:block;max-width:100%}
.compare .card h2{font-size:1.2rem;margin:.4em 0}
.compare{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 2em}
@media (max-width:760px){.compare{grid-template-columns:minmax(0,1fr)}
.compared td{min-width:0}}
@media print{
@page{size:A4 landscape;margin:12mm}
body{font-size:10pt}
main{max-width:none;padding:0}
.script-only{display:none!important}
.word{background:none!important}
.word.completed{color:var(--done)}
.word.stopped,.word.aborted{color:var(--fail)}
.word.held,.word.interrupted{color:var(--hold)}
td,th[scope=row]{overflow-wrap:anywhere}
.scroll,.wide-box{overflow:visible}
.drawing{min-width:0;width:100%!important}
.overview,.name,#detail{position:static}
.overview{display:none}
.card,.row,tr{break-inside:avoid}
h2,h3{break-after:avoid}
}
`
