import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { HealthEndpoints } from '../../src/service/actuators/agent/io/health-endpoints.ts'
import { CommandBalancer } from '../../src/service/actuators/commands/io/command-balancer.ts'
import { DetachedNodes } from '../../src/service/actuators/detacher/io/detached-nodes.ts'
import { HaproxyBalancer } from '../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { MarkedNodes } from '../../src/service/actuators/mark/io/marked-nodes.ts'
import type { BalancerKind, BalancerSpec } from '../../src/service/model/balancer-spec.ts'
import type { Balancer, BalancerReader } from '../../src/service/ports/balancer.ts'

interface OpenBalancer extends Balancer {
  close(): Promise<void>
}

interface Surroundings {
  /** Absent: only balancers that do not need it are opened. */
  readonly cluster: Cluster | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Of ssh to nodes, by which a balancer is reached as well. */
type Ssh = { readonly sshConfigFile?: string }

/** `balancer`: the roll sets states itself. `reader`: it does not, and nothing stays open between two readings. */
type Opened = { readonly balancer: OpenBalancer } | { readonly reader: BalancerReader }
type Open<Kind extends BalancerKind> = (spec: BalancerSpec<Kind>, to: Surroundings & Ssh) => Opened | undefined

const clock = systemClock
const random = systemRandom

/** What speaks to each kind of balancer. */
const KINDS: { readonly [Kind in BalancerKind]: Open<Kind> } = {
  haproxy: (spec, { sshConfigFile }) => {
    const { name, backends, via } = spec
    const own = { name, backends, instances: via.instances }
    return { balancer: new HaproxyBalancer({ spec: own, clock, random, ...present({ sshConfigFile }) }) }
  },
  agent: (spec, { cluster }) => cluster && { reader: new HealthEndpoints({ spec, cluster, clock }) },
  mark: (spec, { cluster }) => cluster && { reader: new MarkedNodes({ spec, cluster, clock }) },
  detacher: (spec, { cluster }) => cluster && { reader: new DetachedNodes({ spec, cluster, clock }) },
  commands: (spec, { cluster, env }) =>
    cluster && { balancer: new CommandBalancer({ spec, cluster, clock, random, searchPath: env.PATH ?? '' }) },
}

const openOne = <Kind extends BalancerKind>(spec: BalancerSpec<Kind>, to: Surroundings & Ssh): Opened | undefined =>
  KINDS[spec.via.kind](spec, to)

interface OpenBalancers {
  /** The balancers to which the roll sends states. They are closed at the end. */
  readonly balancers: readonly OpenBalancer[]
  readonly readers: readonly BalancerReader[]
}

/** Every balancer of the file that can be reached from here. Nothing is asked yet. */
export function openBalancers({ reboot, balancers }: RollSpec, to: Surroundings): OpenBalancers {
  const ssh = reboot.kind === 'ssh' ? present({ sshConfigFile: reboot.configFile }) : {}
  const opened = balancers.flatMap((spec) => openOne(spec, { ...to, ...ssh }) ?? [])
  return {
    balancers: opened.flatMap((one) => ('balancer' in one ? one.balancer : [])),
    readers: opened.flatMap((one) => ('reader' in one ? one.reader : [])),
  }
}
