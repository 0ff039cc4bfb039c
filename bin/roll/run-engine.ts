import { LocalPrograms } from '../../src/adapters/host/local-programs.ts'
import { TcpDataPort } from '../../src/adapters/host/tcp-data-port.ts'
import { Alertmanager } from '../../src/adapters/http/alertmanager.ts'
import { HttpHooks } from '../../src/adapters/http/post-hook.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeKuredLocks } from '../../src/adapters/kube/kube-kured-locks.ts'
import { kubeObjectNotices } from '../../src/adapters/kube/kube-object-notices.ts'
import { ChildProbeSource } from '../../src/adapters/node/child-probe-source.ts'
import { LatencyFile } from '../../src/adapters/node/latency-file.ts'
import { readSecret } from '../../src/adapters/node/read-secret.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import type { RollIo } from '../../src/cli/roll-actions.ts'
import { timeWindowsOf } from '../../src/config/time-window-spans.ts'
import { NodeEvents } from '../../src/controllers/notify/node-events.ts'
import { LedgerProbe } from '../../src/controllers/probe/ledger-probe.ts'
import { RollEngine } from '../../src/controllers/roll/roll-engine.ts'
import type { RunState } from '../../src/controllers/roll/run-state.ts'
import { LatencySeconds } from '../../src/core/availability/latency-seconds.ts'
import { formatDuration } from '../../src/model/duration.ts'
import type { Sample } from '../../src/model/probe.ts'
import type { StampedEvent } from '../../src/model/roll-event.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { OpenJournal } from '../../src/ports/journal.ts'
import { type SteadyClock, steadyClock } from '../../src/runtime/steady-clock.ts'
import { ownProgram } from '../process/own-program.ts'
import { dnsChecksOf } from './dns-checks.ts'
import { gatesOf } from './gates.ts'
import { hostOf, machinesOf } from './host.ts'
import { notifierOf } from './notifier.ts'
import { balancersOf, type ClusterPlace, commandsOf, endpointsOf, type RollSurroundings } from './world.ts'

interface EngineRun {
  readonly run: RunState
  readonly place: ClusterPlace
  readonly clusterName: string
  readonly journal: OpenJournal
  readonly firstSeq: number
  readonly surroundings: Pick<RollSurroundings, 'log' | 'env'>
}

/** Wires the engine to the real world and lets it run to its end; whatever happens, what was opened is closed. */
export async function runEngine(engineRun: EngineRun, io: RollIo): Promise<void> {
  const { run, place, clusterName, journal, firstSeq, surroundings } = engineRun
  const { log, env } = surroundings
  const balancers = [...balancersOf(run.spec), ...commandsOf(run.spec, place.cluster, surroundings)]
  const host = hostOf(run.spec, surroundings)
  const machines = machinesOf(run.spec)
  const clock = steadyClock(systemClock, { onSet: (byMs) => log.warn(clockSet(byMs)) })
  const latency = latencyOf(engineRun)
  const onSamples = (samples: readonly Sample[]): void => {
    latency.add(samples)
    io.onSamples?.(samples)
  }
  const probe = probeOf(run, { clock, onSamples })
  const dns = dnsChecksOf(run.spec, place)
  const gates = gatesOf(run.spec, place, env)
  const notifier = await notifierOf(run.spec.notify ?? [], { env, journal, clock, log })
  const nodeEvents = nodeEventsOf(engineRun, clock)
  try {
    const engine = new RollEngine({
      run,
      clusterName,
      cluster: place.cluster,
      configMaps: kubeConfigMaps(place.api.client),
      kuredLocks: kubeKuredLocks(place.api.client),
      balancers,
      endpoints: endpointsOf(run.spec, place.cluster),
      host,
      ...(machines === undefined ? {} : { machines }),
      dataPort: new TcpDataPort(),
      journal,
      firstSeq,
      sink: (event) => {
        notifier.note(event)
        if (!isOfHost(run, event)) nodeEvents.note(event)
        io.onEvent(event)
      },
      clock,
      random: systemRandom,
      ...(probe === undefined ? {} : { probe }),
      ...(dns === undefined ? {} : { dns }),
      ...(run.spec.window === undefined ? {} : { timeWindows: timeWindowsOf(run.spec.window) }),
      machineWall: () => systemClock.wallMs(),
      ...(gates === undefined ? {} : { gates }),
      programs: new LocalPrograms(systemClock),
      silencing: { silencer: new Alertmanager(new HttpHooks({})), secret: (ref) => readSecret(ref, env) },
    })
    await engine.run(io.interrupt)
  } finally {
    // Whatever they end with, balancers, host and journal are closed.
    await Promise.allSettled([notifier.close(), nodeEvents.close()])
    const closings = [...balancers.map((balancer) => balancer.close()), host.close(), journal.close()]
    await Promise.all([...closings, latency.close()])
  }
}

/** A machine of a load balancer is no Node that an Event could be of. */
const isOfHost = ({ hosts }: RunState, event: StampedEvent): boolean =>
  'node' in event && hosts?.order.includes(event.node ?? '') === true

function nodeEventsOf({ run, place, surroundings }: EngineRun, clock: Clock): NodeEvents {
  const { client } = place.api
  const component = 'evenkeel-roll'
  const { reason } = run.origin ?? {}
  return new NodeEvents({
    run: { run: run.id, ...(reason === undefined ? {} : { reason }) },
    notices: kubeObjectNotices({ client, clock, random: systemRandom, identity: run.id, component }),
    clock,
    warn: (text) => surroundings.log.warn(text),
  })
}

interface LatencyRecord {
  add(samples: readonly Sample[]): void
  close(): Promise<void>
}

/** The journal keeps counts; the latency of each second lies in a file beside it, for the report. */
function latencyOf({ run: { spec }, journal, surroundings }: EngineRun): LatencyRecord {
  const { log } = surroundings
  const file = new LatencyFile(journal.path, (reason) => log.warn(`latency over time is not kept: ${reason}`))
  const seconds = new LatencySeconds(Math.max(0, ...(spec.probe?.targets ?? []).map(({ timeoutMs }) => timeoutMs)))
  return {
    add: (samples) => file.append(seconds.add(samples)),
    close: async () => {
      file.append(seconds.rest())
      await file.flushed()
    },
  }
}

interface ProbeParts {
  readonly clock: SteadyClock
  readonly onSamples: (samples: readonly Sample[]) => void
}

function probeOf({ spec }: RunState, { clock, onSamples }: ProbeParts): LedgerProbe | undefined {
  if (spec.probe === undefined) return undefined
  const { targets } = spec.probe
  const program = ownProgram('probe-process')
  const source = new ChildProbeSource({ program, targets, wallOffsetMs: clock.offsetMs, clock, random: systemRandom })
  return new LedgerProbe({ targets, source, clock, onSamples, latency: spec.stop?.latency ?? [] })
}

const clockSet = (byMs: number): string =>
  byMs === 0
    ? "this machine's clock again agrees with the clock of this run"
    : `this machine's clock was set and differs by ${formatDuration(byMs)}; this run keeps its own clock to its end`
