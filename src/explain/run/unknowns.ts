import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'

/** Something that could not be read. */
export interface Unknown {
  readonly what: string
  readonly why: string
}

/** What could not be read, in the order of the reads. */
export class Unknowns {
  readonly #found: Unknown[] = []

  get list(): readonly Unknown[] {
    return this.#found
  }

  add(what: string, why: string): void {
    if (!this.#found.some((one) => one.what === what)) this.#found.push({ what, why })
  }

  /** Undefined where it may not be read or does not exist. Rejects with any other error. */
  async read<T>(what: string, reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading
    } catch (error) {
      if (!(error instanceof WorldError) && !(error instanceof UserError)) throw error
      this.add(what, whyText(error))
      return undefined
    }
  }
}

export function whyText({ code, message }: WorldError | UserError): string {
  if (code === 'KUBE_FORBIDDEN') return 'this identity is not allowed to read it: see deploy/explain-rbac.yaml'
  if (code === 'KUBE_NO_PATH')
    return 'the kind is not installed, or something before the API server answers in its place'
  return message
}
