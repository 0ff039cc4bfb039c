import type { LocalHaproxy } from '../local-haproxy.ts'

/** When a HAProxy left each of its servers, and when it sent to it again: by its own statistics, which the roll does not have. */
export class LeaveWatch {
  readonly changes: { readonly server: string; readonly isUp: boolean; readonly at: number }[] = []
  readonly #haproxy: LocalHaproxy
  readonly #isUp = new Map<string, boolean>()
  #isOver = false
  readonly #work: Promise<void>

  constructor(haproxy: LocalHaproxy) {
    this.#haproxy = haproxy
    this.#work = this.#follow()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** The first change of that kind at that time or later. */
  firstAfter(server: string, isUp: boolean, at: number): number | undefined {
    return this.changes.find((change) => change.server === server && change.isUp === isUp && change.at >= at)?.at
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const at = Date.now()
      // Before the answer, so that it was so then at the latest; the next look is 50 ms later.
      const table = await this.#haproxy.command('show stat -1 4 -1')
      for (const row of table.split('\n')) {
        const fields = row.split(',')
        const [server = '', status = ''] = [fields[1], fields[17]]
        if (!/^(UP|DOWN)/.test(status)) continue
        const isUp = status.startsWith('UP')
        if (this.#isUp.get(server) !== isUp && this.#isUp.has(server)) this.changes.push({ server, isUp, at })
        this.#isUp.set(server, isUp)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
