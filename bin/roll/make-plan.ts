import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { TcpDataPort } from '../../src/ground/machine/tcp-data-port.ts'
import { present } from '../../src/ground/model/present.ts'
import { originOf } from '../../src/ground/model/run-origin.ts'
import type { RollRequest } from '../../src/roll/cli/roll-actions.ts'
import { PLANNED_SPANS, withTimes } from '../../src/roll/decide/plan/with-times.ts'
import { timeWindowsOf } from '../../src/roll/file/time-window-spans.ts'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import type { RestOfRun } from '../../src/roll/run/amend-run.ts'
import { pastNodes } from '../../src/roll/run/past-nodes.ts'
import { prepare } from '../../src/roll/run/prepare.ts'
import { requireCommands, requireGates } from './gates.ts'
import { hostOf, machinesOf } from './host.ts'
import { requireSecrets } from './notifier.ts'
import { openBalancers } from './open-balancers.ts'
import { ownPodOf } from './own-pod.ts'
import { clusterOf, journals, type RollSurroundings } from './world.ts'

/** For a roll that begins, or for the rest of a run. */
type PlanRequest = RollRequest & Pick<RestOfRun, 'hostsLeft'>

/** Asks the cluster, balancers and machines, and closes the connections. */
export async function makePlan(
  request: PlanRequest,
  surroundings: RollSurroundings,
  signal: AbortSignal,
): Promise<RollPlan> {
  const { spec, hostsLeft } = request
  await requireSecrets(spec.notify ?? [], surroundings.env)
  await requireGates(spec, surroundings.env)
  await requireCommands(spec, surroundings.env)
  const { cluster, api, uid, context } = await clusterOf(request, surroundings, signal)
  const own = await ownPodOf(request, { cluster }, signal)
  const { balancers, readers } = openBalancers(spec, { cluster, env: surroundings.env })
  const host = hostOf(spec, { ...surroundings, cluster })
  const machines = machinesOf(spec)
  const wall = systemClock.wallMs()
  try {
    const clusterName = spec.name
    const prepared = await prepare(
      {
        spec,
        clusterName,
        cluster,
        configMaps: kubeConfigMaps(api.client),
        clock: systemClock,
        balancers: [...balancers, ...readers],
        host,
        ports: { dataPort: new TcpDataPort(), clock: systemClock },
        ...present({ machines, hostsLeft }),
        wall,
        ...own,
      },
      signal,
    )
    const { reason, windowIgnoredBy } = request
    const plan = {
      ...prepared,
      ...originOf({
        ...context,
        ...present({ reason, windowIgnoredBy }),
        version: surroundings.version,
      }),
    }
    const past = plan.nodes.length === 0 ? undefined : await pastNodes(journals(request, surroundings), uid)
    const { window } = windowIgnoredBy === undefined ? spec : {}
    const windows = window && timeWindowsOf(window)
    const spans = windows?.spansFrom(wall, PLANNED_SPANS)
    return withTimes(plan, { spec, past, wall, ...present({ spans, longestMs: windows?.longestMs(wall) }) })
  } finally {
    await Promise.all([...balancers.map((balancer) => balancer.close()), host.close()])
  }
}
