import { TcpDataPort } from '../../src/adapters/host/tcp-data-port.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { ChildProbeSource } from '../../src/adapters/node/child-probe-source.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import type { RollIo } from '../../src/cli/roll-actions.ts'
import { LedgerProbe } from '../../src/controllers/probe/ledger-probe.ts'
import { RollEngine } from '../../src/controllers/roll/roll-engine.ts'
import type { RunState } from '../../src/controllers/roll/run-state.ts'
import { formatDuration } from '../../src/model/duration.ts'
import type { OpenJournal } from '../../src/ports/journal.ts'
import { type SteadyClock, steadyClock } from '../../src/runtime/steady-clock.ts'
import { ownProgram } from '../process/own-program.ts'
import { dnsChecksOf } from './dns-checks.ts'
import { hostOf } from './host.ts'
import { notifierOf } from './notifier.ts'
import { balancersOf, type ClusterPlace, endpointsOf, type RollSurroundings } from './world.ts'

interface EngineRun {
  readonly run: RunState
  readonly place: ClusterPlace
  readonly clusterName: string
  readonly journal: OpenJournal
  readonly firstSeq: number
  readonly surroundings: Pick<RollSurroundings, 'log' | 'env'>
}

/** Wires the engine to the real world and lets it run to its end; whatever happens, what was opened is closed. */
export async function runEngine(
  { run, place, clusterName, journal, firstSeq, surroundings }: EngineRun,
  io: RollIo,
): Promise<void> {
  const { log, env } = surroundings
  const balancers = balancersOf(run.spec)
  const host = hostOf(run.spec)
  const clock = steadyClock(systemClock, { onSet: (byMs) => log.warn(clockSet(byMs)) })
  const probe = probeOf(run, clock)
  const dns = dnsChecksOf(run.spec, place)
  const notifier = await notifierOf(run.spec.notify ?? [], { env, journal, clock, log })
  try {
    const engine = new RollEngine({
      run,
      clusterName,
      cluster: place.cluster,
      configMaps: kubeConfigMaps(place.api.client),
      balancers,
      endpoints: endpointsOf(run.spec, place.cluster),
      host,
      dataPort: new TcpDataPort(),
      journal,
      firstSeq,
      sink: (event) => {
        notifier.note(event)
        io.onEvent(event)
      },
      clock,
      random: systemRandom,
      ...(probe === undefined ? {} : { probe }),
      ...(dns === undefined ? {} : { dns }),
    })
    await engine.run(io.interrupt)
  } finally {
    await notifier.close()
    await Promise.all([...balancers.map((balancer) => balancer.close()), host.close(), journal.close()])
  }
}

function probeOf({ spec }: RunState, clock: SteadyClock): LedgerProbe | undefined {
  if (spec.probe === undefined) return undefined
  const { targets } = spec.probe
  const program = ownProgram('probe-process')
  const source = new ChildProbeSource({ program, targets, wallOffsetMs: clock.offsetMs, clock, random: systemRandom })
  return new LedgerProbe({ targets, source, clock })
}

const clockSet = (byMs: number): string =>
  byMs === 0
    ? "this machine's clock again agrees with the clock of this run"
    : `this machine's clock was set and differs by ${formatDuration(byMs)}; this run keeps its own clock to its end`
