import { fileURLToPath } from 'node:url'
import { TcpDataPort } from '../../src/adapters/host/tcp-data-port.ts'
import { ChildProbeSource } from '../../src/adapters/node/child-probe-source.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import type { RollIo } from '../../src/cli/roll-actions.ts'
import { LedgerProbe } from '../../src/controllers/probe/ledger-probe.ts'
import { RollEngine } from '../../src/controllers/roll/roll-engine.ts'
import type { RunState } from '../../src/controllers/roll/run-state.ts'
import type { OpenJournal } from '../../src/ports/journal.ts'
import { hostOf } from './host.ts'
import { balancersOf, type ClusterPlace } from './world.ts'

export interface EngineRun {
  readonly run: RunState
  readonly place: ClusterPlace
  readonly clusterName: string
  readonly journal: OpenJournal
  readonly firstSeq: number
}

/** Wires the engine to the real world and lets it run to its end; whatever happens, what was opened is closed. */
export async function runEngine({ run, place, clusterName, journal, firstSeq }: EngineRun, io: RollIo): Promise<void> {
  const balancers = balancersOf(run.spec)
  const host = hostOf(run.spec)
  const probe = probeOf(run)
  try {
    const engine = new RollEngine({
      run,
      clusterName,
      cluster: place.cluster,
      balancers,
      host,
      dataPort: new TcpDataPort(),
      journal,
      firstSeq,
      sink: (event) => io.onEvent(event),
      clock: systemClock,
      random: systemRandom,
      ...(probe === undefined ? {} : { probe }),
    })
    await engine.run(io.interrupt)
  } finally {
    await Promise.all([...balancers.map((balancer) => balancer.close()), host.close(), journal.close()])
  }
}

function probeOf({ spec }: RunState): LedgerProbe | undefined {
  if (spec.probe === undefined) return undefined
  const { targets } = spec.probe
  const program = fileURLToPath(new URL('../probe-process.ts', import.meta.url))
  const source = new ChildProbeSource({ program, targets, clock: systemClock, random: systemRandom })
  return new LedgerProbe({ targets, source, clock: systemClock })
}
