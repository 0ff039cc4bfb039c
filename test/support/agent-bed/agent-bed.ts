import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { whoami } from '../../../src/sim/cluster/article-workloads.ts'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { InstallBed } from '../agent-install/install-bed.ts'
import { askSocket } from '../roll-bed/ask-socket.ts'
import { bundleIn } from '../roll-bed/bundle.ts'
import { Judge } from '../roll-bed/judge.ts'
import { RollProcess } from '../roll-bed/roll-process.ts'
import { AGENT_CHECK_PORT, checkingHaproxy, type Fronts, frontOf } from './check-backends.ts'
import { DATA_PORT, type IngressKind, nodeIngress } from './node-ingress.ts'

type Haproxy = Awaited<ReturnType<Bed['haproxy']>>

const RBAC = readFileSync(new URL('../../../deploy/roll-rbac.yaml', import.meta.url), 'utf8')
/** Where the checks come from: HAProxy stands in the network that the nodes are in. */
const CHECKER = '10.77.0.1'
/** Quick, as a bed is; the agents' probe of the data port, too. */
const QUICK = ['minReadySeconds=6', 'agent.upDelay=1s', 'agent.dataEvery=500ms']

/** A real cluster with the chart, an ingress on the nodes' own ports, and HAProxies that know nothing but checks. */
export class AgentBed {
  readonly place: InstallBed
  readonly #program: readonly string[]
  readonly #kubeconfig: string
  readonly #stateDir: string
  readonly #started: { kill(signal: NodeJS.Signals): void }[] = []
  #haproxies = 0

  private constructor(place: InstallBed, program: readonly string[], kubeconfig: string) {
    this.place = place
    this.#program = program
    this.#kubeconfig = kubeconfig
    this.#stateDir = mkdtempSync(join(place.bed.dir, 'state-'))
  }

  static async open(): Promise<AgentBed> {
    const place = await InstallBed.open()
    try {
      const { bed } = place
      const program = bundleIn(join(bed.dir, 'bundle'))
      await bed.apply(RBAC)
      await bed.apply(whoami({ service: 'improved' }))
      const { inside } = await bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll')
      return new AgentBed(place, await program, inside)
    } catch (error) {
      await place.close()
      throw error
    }
  }

  get bed(): Bed {
    return this.place.bed
  }

  async close(): Promise<void> {
    for (const process of this.#started) process.kill('SIGKILL')
    await this.place.close()
  }

  /** Agents and ingress, each of its kind, instead of those before. */
  async serve(kind: IngressKind, agents: IngressKind, values: readonly string[] = []): Promise<void> {
    const { bed, place } = this
    await bed.kubectl(['delete', 'daemonset', 'node-ingress', '--ignore-not-found', '--wait'])
    await bed.apply([nodeIngress(kind)])
    await bed.kubectl(['rollout', 'status', 'daemonset/node-ingress', '--timeout=120s'])
    await bed.kubectl(['rollout', 'status', 'deployment/whoami', '--timeout=120s'])
    const port = agents === 'hostNetwork' ? [`agent.dataPort=${DATA_PORT}`] : ['exposure=hostPort']
    await place.install([...QUICK, ...port, `agent.agentCheckPort=${AGENT_CHECK_PORT}`, ...values])
    await place.rolledOut()
  }

  /** Resolves when every server of it is up. */
  async haproxy(fronts: Fronts): Promise<Haproxy> {
    const { bed } = this
    this.#haproxies += 1
    const addresses = bed.nodes.map((node) => bed.nodeAddress(node))
    const lb = await bed.haproxy(checkingHaproxy(addresses, fronts), { name: `lb-${this.#haproxies}` })
    await waitFor({ what: 'every server to be up', limitMs: 60_000, everyMs: 100 }, async () => {
      const text = await askSocket(lb.socket, 'show stat -1 4 -1')
      const rows = text.split('\n').filter((line) => /^back-/.test(line))
      return rows.length > 0 && rows.every((row) => /,UP,/.test(row)) ? true : undefined
    })
    return lb
  }

  /** `checkers`: how many HAProxy has at its address; none declared where absent. */
  file(change: {
    readonly checkers?: number
    readonly checks?: object
    readonly idleLimit?: string
    readonly nodes: readonly string[]
    readonly fronts: number
  }): string {
    const path = join(mkdtempSync(join(this.bed.dir, 'roll-')), 'roll.yaml')
    const { checkers, checks = {}, idleLimit = '5s', nodes, fronts } = change
    const healthEndpoint = {
      dataPort: DATA_PORT,
      checks: { interval: '1s', fall: 3, rise: 2, ...checks },
      ...(checkers === undefined ? {} : { checkers: [{ address: CHECKER, count: checkers }] }),
    }
    const spec = {
      nodes: { names: nodes },
      balancers: [{ name: 'edge', healthEndpoint }],
      detach: { idleLimit },
      reboot: {
        ssh: { configFile: this.bed.sshConfig, command: ['systemctl', 'reboot'] },
        resendAfter: '20s',
        returnLimit: '60s',
      },
      soak: '3s',
      baseline: { duration: '3s' },
      probes: Array.from({ length: fronts }, (_, i) => ({ name: `front-${i}`, url: frontOf(i), rate: 20 / fronts })),
    }
    const head = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'agents' } }
    writeFileSync(path, stringify({ ...head, spec }))
    return path
  }

  roll(...words: readonly string[]): RollProcess {
    const env = { KUBECONFIG: this.#kubeconfig, XDG_STATE_HOME: this.#stateDir }
    const roll = new RollProcess(words, { program: this.#program, enter: (argv) => this.bed.enter(argv), env })
    this.#started.push(roll)
    return roll
  }

  /** Of one front. */
  judge(front: number, ratePerSecond: number): Judge {
    const surroundings = { program: this.#program, enter: (argv: readonly string[]) => this.bed.enter(argv) }
    const judge = new Judge({ url: frontOf(front), ratePerSecond }, surroundings)
    this.#started.push(judge)
    return judge
  }
}
