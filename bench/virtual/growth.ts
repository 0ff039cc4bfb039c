interface Timed {
  readonly nodes: number
  readonly ms: number
}

/** The power of n by which the time grew between two sizes. */
export const exponent = (small: Timed, large: Timed): number =>
  hundredths(Math.log(large.ms / small.ms) / Math.log(large.nodes / small.nodes))

/** What it would be, were it n log n. */
export const exponentOfNLogN = (small: number, large: number): number =>
  hundredths(Math.log((large * Math.log(large)) / (small * Math.log(small))) / Math.log(large / small))

const WIDTH = 60

/** Time a node by size as bars: level where growth is linear. */
export function growthPlot(rolls: readonly Timed[]): string {
  const perNode = rolls.map(({ nodes, ms }) => ({ nodes, ms: ms / nodes }))
  const most = Math.max(...perNode.map(({ ms }) => ms))
  return perNode
    .map(({ nodes, ms }) => {
      const bar = '#'.repeat(Math.max(1, Math.round((WIDTH * ms) / most)))
      return `${String(nodes).padStart(5)} nodes ${ms.toFixed(1).padStart(7)} ms a node ${bar}`
    })
    .join('\n')
}

const hundredths = (value: number): number => Math.round(100 * value) / 100
