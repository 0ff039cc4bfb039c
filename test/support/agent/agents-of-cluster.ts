import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import { shippedProgram } from '../shipped-program.ts'

const PROGRAM = shippedProgram('agent')
const LOOK_EVERY_MS = 20

export const AGENT_PORT = 8_080
export const STATUS_PORT = 8_081

export interface AgentNode {
  readonly name: string
  readonly address: string
}

interface AgentsParts {
  readonly cluster: EmbeddedCluster
  readonly folder: string
  readonly nodes: readonly AgentNode[]
  readonly dataPort: number
}

/**
 * A real agent for each machine of an embedded cluster: it goes with its machine, and begins again with the next boot,
 * without what it had in memory.
 */
export class AgentsOfCluster {
  readonly #parts: AgentsParts
  readonly #agents = new Map<string, ChildProcess>()
  readonly #look: NodeJS.Timeout
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: AgentsParts) {
    this.#parts = parts
    this.#look = setInterval(() => {
      this.#turn = this.#turn.then(() => this.#follow())
    }, LOOK_EVERY_MS)
  }

  async end(): Promise<void> {
    clearInterval(this.#look)
    await this.#turn
    await Promise.all([...this.#agents.keys()].map((name) => this.kill(name)))
  }

  async kill(name: string): Promise<void> {
    const agent = this.#agents.get(name)
    this.#agents.delete(name)
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return
    const ended = once(agent, 'exit')
    agent.kill('SIGKILL')
    await ended
  }

  async #follow(): Promise<void> {
    for (const node of this.#parts.nodes) {
      const isOn = this.#parts.cluster.machines.get(node.name)?.isOn === true
      if (isOn && !this.#agents.has(node.name)) this.#start(node)
      if (!isOn && this.#agents.has(node.name)) {
        await this.kill(node.name)
        await rm(this.#folder(node, 'run'), { recursive: true, force: true })
      }
    }
  }

  #start(node: AgentNode): void {
    const { cluster, dataPort } = this.#parts
    const at = ['--address', node.address, '--port', String(AGENT_PORT), '--status-port', String(STATUS_PORT)]
    const files = ['--memory-dir', this.#folder(node, 'run'), '--keep-dir', this.#folder(node, 'lib')]
    const asked = ['--data-port', `${node.address}:${dataPort}`, '--data-every', '200ms', '--up-delay', '0']
    const args = [PROGRAM, '--node', node.name, '--kubeconfig', cluster.kubeconfig, ...at, ...files, ...asked]
    const quiet = ['--disable-warning=ExperimentalWarning', ...args]
    this.#agents.set(node.name, spawn(process.execPath, quiet, { stdio: 'ignore' }))
  }

  #folder(node: AgentNode, name: string): string {
    return join(this.#parts.folder, node.name, name)
  }
}
