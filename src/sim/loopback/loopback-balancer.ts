import { join } from 'node:path'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { BalancerConfig } from '../balancer/balancer-config.ts'
import { VirtualBalancer } from '../balancer/virtual-balancer.ts'
import type { LoopbackDataPlane } from './loopback-data-plane.ts'
import type { LoopbackNet } from './loopback-net.ts'
import { loopbackNetwork } from './loopback-network.ts'
import { RuntimeSocketServer } from './runtime-socket-server.ts'

interface LoopbackBalancerParts {
  readonly net: LoopbackNet
  readonly plane: LoopbackDataPlane
  readonly clock: Clock
  readonly timers: Timers
  /** Runs something once this turn of the event loop has read what had arrived. */
  readonly soon: (run: () => void) => void
  readonly config: BalancerConfig
  /** Its runtime socket lies in it. */
  readonly folder: string
}

const FIRST_PID = 100

/** The model of HAProxy before real pods: it listens on real ports, and its runtime API on a unix socket. */
export class LoopbackBalancer {
  readonly socket: string
  readonly model: VirtualBalancer
  readonly #endListening: () => void
  #runtime: RuntimeSocketServer | undefined

  private constructor({ net, plane, clock, timers, soon, config, folder }: LoopbackBalancerParts) {
    this.socket = join(folder, 'balancer.sock')
    const network = loopbackNetwork({ net, soon }, plane)
    this.#endListening = () => network.end()
    this.model = new VirtualBalancer({ network, timers, clock, config, firstPid: FIRST_PID })
  }

  static async start(parts: LoopbackBalancerParts): Promise<LoopbackBalancer> {
    const made = new LoopbackBalancer(parts)
    try {
      made.#runtime = await RuntimeSocketServer.listen(made.socket, (line) => made.model.answer(line))
      return made
    } catch (error) {
      made.end()
      throw error
    }
  }

  end(): void {
    this.model.stop()
    this.#runtime?.end()
    this.#endListening()
  }
}
