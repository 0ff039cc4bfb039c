import type { IngressDocument } from './ingress-document.ts'
import { GOALS } from './ingress-figures.ts'

interface Panel {
  readonly title: string
  readonly goal: number
  readonly read: (document: IngressDocument) => number
}

const PANELS: readonly Panel[] = [
  { title: 'first pass, s of processor', goal: GOALS.firstPassS, read: ({ firstPassMs }) => firstPassMs / 1_000 },
  { title: 'idle, % of a core', goal: GOALS.idlePercent, read: ({ idle }) => idle.percent },
  { title: 'resident memory, MB', goal: GOALS.residentMb, read: ({ idle }) => idle.residentMb },
  { title: 'change to decision, p99, ms', goal: GOALS.decidedMs, read: ({ cordon }) => cordon.p99Ms },
]

const WIDTH = 360
const HEIGHT = 230
const EDGE = { left: 46, right: 16, top: 34, bottom: 34 }

/** How the costs grow with the number of nodes: both axes are logarithmic, and the dashed line is the goal for 5,000 nodes. */
export function scalePlot(documents: readonly IngressDocument[]): string {
  const sorted = documents.toSorted((a, b) => a.nodes - b.nodes)
  const panels = PANELS.map((panel, at) => {
    const place = `translate(${(at % 2) * WIDTH} ${Math.floor(at / 2) * HEIGHT})`
    return `<g transform="${place}">${panelOf(panel, sorted)}</g>`
  })
  const [width, height] = [2 * WIDTH, 2 * HEIGHT]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<title>How the costs of the controller grow with the number of nodes</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join('\n')}
</svg>
`
}

function panelOf({ title, goal, read }: Panel, documents: readonly IngressDocument[]): string {
  const values = documents.map((document) => Math.max(read(document), 0.01))
  const nodes = documents.map((document) => document.nodes)
  const x = scale(nodes, [EDGE.left, WIDTH - EDGE.right])
  const y = scale([...values, goal], [HEIGHT - EDGE.bottom, EDGE.top])
  const points = documents.map((document, at) => ({
    x: x(document.nodes),
    y: y(values[at] ?? 0),
    value: values[at] ?? 0,
  }))
  const axis = HEIGHT - EDGE.bottom
  return [
    `<text x="${EDGE.left}" y="18" font-weight="600">${title}</text>`,
    `<line x1="${EDGE.left}" y1="${axis}" x2="${WIDTH - EDGE.right}" y2="${axis}" stroke="#999"/>`,
    `<line x1="${EDGE.left}" y1="${y(goal)}" x2="${WIDTH - EDGE.right}" y2="${y(goal)}" stroke="#b42318" stroke-dasharray="5 4"/>`,
    `<text x="4" y="${y(goal) + 4}" fill="#b42318">${goal}</text>`,
    `<polyline points="${points.map((point) => `${point.x},${point.y}`).join(' ')}" fill="none" stroke="#175cd3" stroke-width="2"/>`,
    ...points.map(({ x: cx, y: cy }) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="#175cd3"/>`),
    ...points.map(
      ({ x: cx, y: cy, value }) => `<text x="${cx - 8}" y="${cy - 8}" text-anchor="end">${short(value)}</text>`,
    ),
    ...documents.map(
      (document) => `<text x="${x(document.nodes)}" y="${axis + 18}" text-anchor="middle">${document.nodes}</text>`,
    ),
  ].join('\n')
}

const short = (value: number): string => String(value < 10 ? Math.round(value * 100) / 100 : Math.round(value))

/** From the values to pixels. */
function scale(values: readonly number[], [from, to]: readonly [number, number]): (value: number) => number {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))]
  const span = high - low || 1
  return (value) => Math.round(10 * (from + ((Math.log(value) - low) / span) * (to - from))) / 10
}
