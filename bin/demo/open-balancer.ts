import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import type { BalancerConfig } from '../../src/sim/balancer/balancer-config.ts'
import { HaproxyProcess } from '../../src/sim/loopback/haproxy-process.ts'
import { LoopbackBalancer } from '../../src/sim/loopback/loopback-balancer.ts'
import type { LoopbackDataPlane } from '../../src/sim/loopback/loopback-data-plane.ts'
import type { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { type FoundHaproxy, findHaproxy } from './find-haproxy.ts'

type BalancerKind = 'auto' | 'embedded'

interface BalancerPlace {
  readonly kind: BalancerKind
  readonly env: NodeJS.ProcessEnv
  readonly net: LoopbackNet
  readonly plane: LoopbackDataPlane
  /** Private to the demo; the runtime socket lies in it. */
  readonly folder: string
}

export interface OpenBalancer {
  readonly socket: string
  /** Which balancer it is, and why it is not HAProxy. */
  readonly about: string
  end(): void | Promise<void>
}

/** HAProxy where it is installed and can reach the nodes, else the embedded balancer. */
export async function openBalancer(
  { kind, env, net, plane, folder }: BalancerPlace,
  config: BalancerConfig,
  signal: AbortSignal,
): Promise<OpenBalancer> {
  const found = await haproxy(kind, net, env)
  if ('program' in found) {
    const made = await HaproxyProcess.start({ program: found.program, folder, config, clock }, signal)
    return { socket: made.socket, about: `HAProxy ${found.version}`, end: () => made.end() }
  }
  const made = await LoopbackBalancer.start({ net, plane, clock, timers, soon, config, folder })
  return { socket: made.socket, about: `the embedded balancer (${found.lacking})`, end: () => made.end() }
}

async function haproxy(kind: BalancerKind, net: LoopbackNet, env: NodeJS.ProcessEnv): Promise<FoundHaproxy> {
  if (kind === 'embedded') return { lacking: 'as asked for' }
  if (!net.hasAliases) return { lacking: 'this machine has no loopback address but 127.0.0.1' }
  return findHaproxy(env.PATH)
}
