import type { RollView } from '../../report/view/roll-view.ts'

/** How long the rest will take, by the mean of the nodes that are done; undefined until one is. Future holds are not included. */
export function remainingMs(view: RollView, now: number): number | undefined {
  const through = view.nodes.flatMap(({ startedAt, endedAt }) =>
    startedAt === undefined || endedAt === undefined ? [] : [endedAt - startedAt],
  )
  if (through.length === 0) return undefined
  const meanMs = through.reduce((sum, ms) => sum + ms, 0) / through.length
  const left = view.nodes.map(({ state, startedAt }) => {
    if (state === 'ended') return 0
    return Math.max(0, meanMs - (startedAt === undefined ? 0 : now - startedAt))
  })
  return left.reduce((sum, ms) => sum + ms, 0)
}
