import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeObjectNotices } from '../../src/ground/kube/kube-object-notices.ts'
import { type SteadyClock, steadyClock } from '../../src/ground/loop/steady-clock.ts'
import { ChildProbeSource } from '../../src/ground/machine/child-probe-source.ts'
import { LocalPrograms } from '../../src/ground/machine/local-programs.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { TcpDataPort } from '../../src/ground/machine/tcp-data-port.ts'
import { formatDuration } from '../../src/ground/model/duration.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Sample } from '../../src/ground/model/probe.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import type { RollIo } from '../../src/roll/cli/roll-actions.ts'
import { LatencySeconds } from '../../src/roll/decide/availability/latency-seconds.ts'
import { timeWindowsOf } from '../../src/roll/file/time-window-spans.ts'
import { Alertmanager } from '../../src/roll/io/alertmanager.ts'
import { kubeKuredLocks } from '../../src/roll/io/kube-kured-locks.ts'
import { LatencyFile } from '../../src/roll/io/latency-file.ts'
import { HttpHooks } from '../../src/roll/io/post-hook.ts'
import { readSecret } from '../../src/roll/io/read-secret.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { OpenJournal } from '../../src/roll/ports/journal.ts'
import { LedgerProbe } from '../../src/roll/probe/ledger-probe.ts'
import { NodeEvents } from '../../src/roll/run/notify/node-events.ts'
import { RollEngine } from '../../src/roll/run/roll-engine.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { ownProgram } from '../process/own-program.ts'
import { dnsChecksOf } from './dns-checks.ts'
import { gatesOf } from './gates.ts'
import { hostOf, machinesOf } from './host.ts'
import { notifierOf } from './notifier.ts'
import { openBalancers } from './open-balancers.ts'
import type { ClusterPlace, RollSurroundings } from './world.ts'

interface EngineRun {
  readonly run: RunState
  readonly place: ClusterPlace
  readonly clusterName: string
  readonly journal: OpenJournal
  readonly firstSeq: number
  readonly surroundings: Pick<RollSurroundings, 'log' | 'env'>
}

/** Connects the engine to cluster and machines and runs it to its end; in any case, everything that was opened is closed. */
export async function runEngine(engineRun: EngineRun, io: RollIo): Promise<void> {
  const { run, place, clusterName, journal, firstSeq, surroundings } = engineRun
  const { log, env } = surroundings
  const { balancers, readers } = openBalancers(run.spec, { cluster: place.cluster, env })
  const host = hostOf(run.spec, { env, cluster: place.cluster })
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
      endpoints: readers,
      host,
      ...present({ machines }),
      dataPort: new TcpDataPort(),
      journal,
      firstSeq,
      sink: (event) => {
        notifier.note(event)
        if (!isOfMachine(run, event)) nodeEvents.note(event)
        io.onEvent(event)
      },
      clock,
      random: systemRandom,
      ...present({ probe, dns }),
      ...(run.spec.window === undefined ? {} : { timeWindows: timeWindowsOf(run.spec.window) }),
      machineWall: () => systemClock.wallMs(),
      ...present({ gates }),
      programs: new LocalPrograms(systemClock),
      silencing: { silencer: new Alertmanager(new HttpHooks({})), secret: (ref) => readSecret(ref, env) },
    })
    await engine.run(interruptOf(engineRun, io))
  } finally {
    // However these end, balancers, host and journal are closed.
    await Promise.allSettled([notifier.close(), nodeEvents.close()])
    const closings = [...balancers.map((balancer) => balancer.close()), host.close(), journal.close()]
    await Promise.all([...closings, latency.close()])
  }
}

/** A machine of a load balancer has no Node for an Event. */
const isOfMachine = ({ hosts }: RunState, event: StampedEvent): boolean =>
  'node' in event && hosts?.order.includes(event.node ?? '') === true

function nodeEventsOf({ run, place, surroundings }: EngineRun, clock: Clock): NodeEvents {
  const { client } = place.api
  const component = 'evenkeel-roll'
  const { reason } = run.origin ?? {}
  return new NodeEvents({
    run: { run: run.id, ...present({ reason }) },
    notices: kubeObjectNotices({ client, clock, random: systemRandom, identity: run.id, component }),
    clock,
    warn: (text) => surroundings.log.warn(text),
  })
}

interface LatencyRecord {
  add(samples: readonly Sample[]): void
  close(): Promise<void>
}

/** Another process has the run: this one stops as after Ctrl-C. */
function interruptOf({ journal: { lost }, surroundings }: EngineRun, { interrupt }: RollIo): AbortSignal {
  if (lost === undefined) return interrupt
  const say = ({ reason }: AbortSignal): void =>
    surroundings.log.warn(`this process stops: ${reason instanceof Error ? reason.message : String(reason)}`)
  if (lost.aborted) say(lost)
  else lost.addEventListener('abort', () => say(lost), { once: true })
  return AbortSignal.any([interrupt, lost])
}

/** The journal has counts; the latency of each second is in a file beside it, for the report. A ConfigMap has nothing beside it. */
function latencyOf({ run: { spec }, journal, surroundings }: EngineRun): LatencyRecord {
  const { log } = surroundings
  if (journal.files === undefined) return { add: () => undefined, close: () => Promise.resolve() }
  const file = new LatencyFile(journal.files, (reason) => log.warn(`latency over time is not kept: ${reason}`))
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
  const wallOffsetMs = (): number => clock.offsetMs
  const source = new ChildProbeSource({ program, targets, wallOffsetMs, clock, random: systemRandom })
  return new LedgerProbe({ targets, source, clock, onSamples, latency: spec.stop?.latency ?? [] })
}

const clockSet = (byMs: number): string =>
  byMs === 0
    ? "this machine's clock again agrees with the clock of this run"
    : `this machine's clock was set and differs by ${formatDuration(byMs)}; this run keeps its own clock to its end`
