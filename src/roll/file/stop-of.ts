import type { RollSpec } from '../model/roll-spec.ts'
import type { RollFile } from './schema/roll-file-schema.ts'

/** The stop rules of a file, one for each target. */
export function stopOf({ stop, probes }: RollFile['spec']): Pick<RollSpec, 'stop'> {
  if (stop === undefined) return {}
  const { failedRequests: counts, latency = [], errorBudget = [] } = stop
  const targets = probes.filter(({ control }) => !control).map(({ name }) => name)
  const meant = (probe: string | undefined): readonly string[] => (probe === undefined ? targets : [probe])
  return {
    stop: {
      ...(counts === undefined
        ? {}
        : { failedRequests: { inAll: counts.inAll, perNode: counts.perNode ?? counts.inAll } }),
      latency: latency.flatMap(({ probe, slowerThan, share, over }) =>
        meant(probe).map((target) => ({ target, slowerThanMs: slowerThan, share, overMs: over })),
      ),
      downtime: errorBudget.flatMap(({ probe, downtime }) =>
        meant(probe).map((target) => ({ target, downtimeMs: downtime })),
      ),
    },
  }
}
