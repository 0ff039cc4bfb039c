import { fileURLToPath } from 'node:url'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { Program } from '../roll-bed/program.ts'
import type { Check } from './checker-process.ts'

const CHECKER = fileURLToPath(new URL('checker-process.ts', import.meta.url))
const EVERY_MS = 100

/** A checker outside of the nodes, and all that it was told. */
export class Checks {
  readonly #all: Check[] = []
  readonly #program: Program
  readonly #nodes: readonly string[]

  constructor(
    enter: (argv: readonly string[]) => readonly string[],
    places: Readonly<Record<string, { readonly address: string; readonly port: number }>>,
  ) {
    this.#nodes = Object.keys(places)
    const words = Object.entries(places).map(([node, { address, port }]) => `${node}=${address}:${port}`)
    const argv = [process.execPath, '--disable-warning=ExperimentalWarning', CHECKER, String(EVERY_MS), ...words]
    this.#program = new Program(enter(argv), { onLine: (line) => this.#all.push(JSON.parse(line)) })
  }

  /** How many there were so far. */
  get count(): number {
    return this.#all.length
  }

  /** Those of a node from one on, in their order. */
  of(node: string, from = 0): readonly Check[] {
    return this.#all.slice(from).filter((check) => check.node === node)
  }

  /** Once the last three of each node are as wanted. */
  async say(wanted: Readonly<Record<string, string>>, limitMs = 60_000): Promise<void> {
    const explain = (): string => this.#nodes.map((node) => `${node}: ${this.of(node).at(-1)?.outcome}`).join(', ')
    await waitFor({ what: `answers ${JSON.stringify(wanted)}`, limitMs, everyMs: 20, explain }, () => {
      const isSo = ([node, outcome]: readonly [string, string]): boolean => {
        const last = this.of(node).slice(-3)
        return last.length === 3 && last.every((check) => check.outcome === outcome)
      }
      return Object.entries(wanted).every(isSo) ? true : undefined
    })
  }

  async end(): Promise<void> {
    this.#program.kill('SIGKILL')
    await this.#program.ended()
  }
}

/** What was not `wanted`, as runs of checks in a row. */
export function runsOfOthers(checks: readonly Check[], wanted: string): readonly (readonly Check[])[] {
  const runs: Check[][] = []
  let open: Check[] = []
  for (const check of checks) {
    if (check.outcome === wanted) open = []
    else if (open.push(check) === 1) runs.push(open)
  }
  return runs
}

/** From the first of them to the last. */
export function spanOf(checks: readonly Check[]): { readonly begin: number; readonly end: number } {
  const times = checks.map(({ atMs }) => atMs)
  return { begin: Math.min(...times), end: Math.max(...times) }
}
