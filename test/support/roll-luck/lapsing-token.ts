import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bed } from '../../../testbed/bed.ts'

const NAMESPACE = 'evenkeel'
const ACCOUNT = 'evenkeel-roll'

/**
 * The shipped identity by a token in a file. Each token is bound to a Secret and ends with it, as one that has expired
 * does: the API server answers 401, once what it remembers of the token is older than ten seconds.
 */
export class LapsingToken {
  readonly kubeconfig: string
  readonly #bed: Bed
  readonly #tokenFile: string
  #made = 0

  private constructor(bed: Bed, kubeconfig: string, tokenFile: string) {
    this.#bed = bed
    this.kubeconfig = kubeconfig
    this.#tokenFile = tokenFile
  }

  static async of(bed: Bed): Promise<LapsingToken> {
    const folder = mkdtempSync(join(bed.dir, 'token-'))
    const tokenFile = join(folder, 'token')
    const { inside } = await bed.serviceAccountKubeconfig(NAMESPACE, ACCOUNT)
    const config = JSON.parse(readFileSync(inside, 'utf8')) as { readonly users: readonly { readonly name: string }[] }
    const users = config.users.map(({ name }) => ({ name, user: { tokenFile } }))
    const kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, JSON.stringify({ ...config, users }), { mode: 0o600 })
    const token = new LapsingToken(bed, kubeconfig, tokenFile)
    await token.renew()
    return token
  }

  /** The token in the file is good for nothing any more, and still stands there. */
  async revoke(): Promise<void> {
    await this.#bed.kubectl(['delete', 'secret', this.#secret(), '--namespace', NAMESPACE])
  }

  /** Another token takes its place in the file. */
  async renew(): Promise<void> {
    this.#made += 1
    const metadata = { name: this.#secret(), namespace: NAMESPACE }
    await this.#bed.apply([{ apiVersion: 'v1', kind: 'Secret', metadata }])
    const bound = ['--bound-object-kind', 'Secret', '--bound-object-name', this.#secret()]
    const token = await this.#bed.kubectl(['create', 'token', ACCOUNT, '--namespace', NAMESPACE, ...bound])
    writeFileSync(`${this.#tokenFile}.new`, token, { mode: 0o600 })
    renameSync(`${this.#tokenFile}.new`, this.#tokenFile)
  }

  #secret(): string {
    return `token-${this.#made}`
  }
}
