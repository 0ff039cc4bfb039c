import { hostname } from 'node:os'
import process from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { kubeFleet } from '../../src/agent/io/kube-fleet.ts'
import type { Fleet } from '../../src/agent/ports/fleet.ts'
import { Brake } from '../../src/agent/run/brake/brake.ts'
import { errorText } from '../../src/cli/error-text.ts'
import { EXIT_FAILED, EXIT_USAGE } from '../../src/cli/exit-codes.ts'
import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeLeaderLease } from '../../src/ground/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../src/ground/kube/kube-object-notices.ts'
import { Leader } from '../../src/ground/loop/leader.ts'
import { lineLog } from '../../src/ground/machine/line-log.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { CONTROLLER_LEASE } from '../../src/ground/model/lease.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Reason } from '../../src/ground/model/reason.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { type HttpDoor, openHttpDoor } from '../../src/ground/net/http-door.ts'
import { apiCredentials } from '../process/api-credentials.ts'
import { ownNamespace, SERVICE_ACCOUNT } from '../process/own-namespace.ts'
import { CONTROLLER_HELP, type ControllerOptions, controllerOptions } from './controller-options.ts'
import { controllerPages } from './controller-pages.ts'
import type { ControllerStatus } from './controller-status.ts'
import { type Loops, openLoops } from './open-loops.ts'
import { sharedNodes } from './shared-nodes.ts'
import { STOPPED, stopController } from './stop-controller.ts'

const log = lineLog(process.stderr, clock)

interface Running {
  readonly leader: Leader
  readonly brake: Brake
  readonly loops: Loops
  readonly door: HttpDoor
}

/** One watch for all loops. The brake has one of its own if it is only for some of the nodes. */
function followedNodes(
  { client, reach }: { readonly client: ApiClient; readonly reach: ApiReach },
  { selector, ingress, guard }: ControllerOptions,
): { readonly fleet: Fleet; readonly followNodes?: ReturnType<typeof sharedNodes>['nodes'] } {
  const api = { client, reach, clock, random, log }
  const fleet = kubeFleet(api, selector)
  if (ingress === undefined && guard === undefined) return { fleet }
  const shared = sharedNodes(api)
  return {
    fleet: selector === undefined ? { ...fleet, follow: shared.fleet } : fleet,
    followNodes: shared.nodes,
  }
}

async function begun(options: ControllerOptions): Promise<Running> {
  const identity = `${hostname()}_${random.hex(6)}`
  const credentials = await apiCredentials(options.kubeconfig, 'CONTROLLER_OPTIONS')
  const client = new ApiClient({ credentials, clock, userAgent: `evenkeel-controller/${manifest.version}` })
  const lease = { namespace: options.namespace, name: CONTROLLER_LEASE }
  const leader: Leader = new Leader({
    cluster: kubeLeaderLease(client),
    clock,
    random,
    lease,
    identity,
    durationMs: options.leaseDurationMs,
    onChange: () => {
      for (const one of [brake, ...Object.values(loops)]) one.wake()
    },
  })
  const reach = new ApiReach(clock)
  const { fleet, ...followed } = followedNodes({ client, reach }, options)
  const brake = new Brake({
    fleet,
    configMaps: kubeConfigMaps(client),
    notices: kubeObjectNotices({ client, clock, random, identity }),
    leader,
    identity,
    namespace: options.grantsNamespace,
    limit: options.limit,
    returnMs: options.returnMs,
    clock,
    random,
    log,
  })
  const loops = await openLoops({ client, reach, leader, identity, lease, options, log, ...followed })
  const { address, statusPort } = options
  const place = { port: statusPort, ...present({ host: address }) }
  const status = () => ({ identity, leader: leader.status(), brake: brake.status(), ...statusOf(loops) })
  const door = await openHttpDoor({ place, timers: systemTimers }, controllerPages(status))
  log.warn('the controller stands by', { identity, ports: [door.port] })
  return { leader, brake, loops, door }
}

const statusOf = ({
  dns,
  ingress,
  guard,
  rolls,
  schedules,
}: Loops): Omit<ControllerStatus, 'identity' | 'leader' | 'brake'> => ({
  ...(dns === undefined ? {} : { dns: dns.status() }),
  ...(ingress === undefined ? {} : { ingress: ingress.status() }),
  ...(guard === undefined ? {} : { guard: guard.status() }),
  ...(rolls === undefined ? {} : { rolls: rolls.status() }),
  ...(schedules === undefined ? {} : { schedules: schedules.status() }),
})

/** Runs until it is stopped, or does not lead any more; returns the reason. */
async function runController(options: ControllerOptions, stop: AbortSignal): Promise<Reason | undefined> {
  const { leader, brake, loops, door } = await begun(options)
  const all = [brake, ...Object.values(loops)]
  const life = new AbortController()
  const leading = new AbortController()
  const led = leader.run(leading.signal)
  const working = Promise.all(all.map((one) => one.run(life.signal)))
  const stopped = new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined)
    stop.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const over = await Promise.race([led, working.then(() => undefined), stopped])
  if (over !== undefined) return over
  const running = { leader, led, leading, loops: all, working, life, closePages: () => door.close() }
  const failures = await stopController(running, clock)
  for (const { name, error } of failures) log.warn(`${name} did not stop`, { reason: String(error) })
  return undefined
}

/**
 * Exit code 0 once it was stopped; 1 where it does not lead any more, and the next process reads everything from the cluster; 2
 * for wrong options.
 */
export async function controllerMain(args: readonly string[]): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(STOPPED))
  try {
    const podNamespace = await ownNamespace(SERVICE_ACCOUNT, 'CONTROLLER_OPTIONS')
    const options = controllerOptions(args, { podNamespace, nodeName: process.env.NODE_NAME })
    if (options === undefined) {
      process.stdout.write(CONTROLLER_HELP)
      return 0
    }
    const over = await runController(options, stop.signal)
    if (over === undefined) return 0
    log.warn('this process no longer leads', { code: over.code, reason: over.text })
    return EXIT_FAILED
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(errorText(error))
    return EXIT_USAGE
  }
}
