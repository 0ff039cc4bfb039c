import { timeWindowsOf } from '../../../src/roll/file/time-window-spans.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import type { RollEnd } from '../../../src/roll/run/roll-end.ts'
import { RollEngine } from '../../../src/roll/run/roll-engine.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import { EventLog } from '../roll-ground/event-log.ts'
import type { MemoryJournal } from './memory-journal.ts'
import type { RollPorts } from './roll-ports.ts'

interface EngineProcessParts {
  readonly run: RunState
  readonly firstSeq: number
  readonly clusterName: string
  readonly journal: MemoryJournal
  readonly ports: RollPorts
}

/** The engine as one process has it: it runs from the start, until its end or its death. */
export class EngineProcess {
  readonly log = new EventLog()
  readonly ended: Promise<RollEnd | 'died'>
  /** As `ended`, but for a process that stays to keep a node out: it has told its end by then. */
  readonly reported: Promise<RollEnd | 'died' | 'guards'>
  readonly #ports: RollPorts
  readonly #interrupt = new AbortController()
  readonly #guards = Promise.withResolvers<'guards'>()
  readonly #died = Promise.withResolvers<'died'>()
  readonly #listeners: ((event: StampedEvent) => void)[] = []

  constructor({ run, firstSeq, clusterName, journal, ports }: EngineProcessParts) {
    this.#ports = ports
    const { cluster, configMaps, kuredLocks, balancers, endpoints, host, dataPort, clock, random } = ports
    const source = ports.probeSource()
    const { silencer } = ports
    const targets = run.spec.probe?.targets ?? []
    const latency = run.spec.stop?.latency ?? []
    const engine = new RollEngine({
      run,
      clusterName,
      cluster,
      configMaps,
      kuredLocks,
      balancers,
      endpoints,
      host,
      dataPort,
      clock,
      random,
      journal: journal.opened((entry) =>
        ports.effect(`journal ${entry.type}`, () =>
          journal.write(entry, (ms) => ports.clock.sleep(ms, ports.lifeline.ended)),
        ),
      ),
      firstSeq,
      sink: (event) => {
        this.log.take(event)
        for (const listener of this.#listeners) listener(event)
        if (event.type === 'roll.ended' && (event.guarded?.length ?? 0) > 0) this.#guards.resolve('guards')
      },
      ...(run.spec.window === undefined ? {} : { timeWindows: timeWindowsOf(run.spec.window) }),
      machineWall: ports.machineWall,
      programs: ports.programs,
      gates: ports.gates,
      ...(silencer === undefined ? {} : { silencing: { silencer, secret: () => Promise.resolve('') } }),
      ...(source === undefined ? {} : { probe: new LedgerProbe({ targets, source, clock, latency }) }),
    })
    ports.lifeline.ended.addEventListener('abort', () => this.#died.resolve('died'), { once: true })
    this.ended = Promise.race([engine.run(this.#interrupt.signal), this.#died.promise])
    this.reported = Promise.race([this.ended, this.#guards.promise])
  }

  get events(): readonly StampedEvent[] {
    return this.log.events
  }

  /** Calls the listener at the very moment of each event; first for all events so far. */
  listen(listener: (event: StampedEvent) => void): void {
    for (const event of this.events) listener(event)
    this.#listeners.push(listener)
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#interrupt.abort(new DOMException('interrupted', 'AbortError'))
  }

  /** `kill -9`. */
  kill(): void {
    this.#ports.lifeline.cut()
  }
}
