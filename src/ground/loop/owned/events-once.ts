import { apiVersionOf, type ObjectKind } from '../../model/object-kind.ts'
import type { ObjectNotice } from '../../model/object-notice.ts'
import type { ObjectNotices } from '../../ports/object-notices.ts'

/** What is to be said of an object. */
export interface Saying extends Pick<ObjectNotice, 'type' | 'reason'> {
  /** A text with the same key is written again only if it differs. */
  readonly key: string
}

interface About {
  readonly kind: Pick<ObjectKind<unknown>, 'group' | 'version' | 'kind'>
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Writes Events about objects for people, each once. */
export class EventsOnce {
  readonly #notices: ObjectNotices
  /** By the UID of the object, then by the key: the last text. */
  readonly #said = new Map<string, Map<string, string>>()

  constructor(notices: ObjectNotices) {
    this.#notices = notices
  }

  async tell(
    { kind: of, namespace, name, uid }: About,
    sayings: readonly Saying[],
    signal: AbortSignal,
  ): Promise<void> {
    const said = this.#said.get(uid) ?? new Map<string, string>()
    this.#said.set(uid, said)
    const { kind } = of
    for (const { key, type, reason } of sayings) {
      if (said.get(key) === reason.text) continue
      said.set(key, reason.text)
      await this.#notices.tell({ apiVersion: apiVersionOf(of), kind, namespace, name, uid, type, reason }, signal)
    }
  }

  /** The texts with other keys are over: they are written again when they come back. */
  forgetOthers(uid: string, keys: ReadonlySet<string>): void {
    const said = this.#said.get(uid)
    for (const key of said?.keys() ?? []) if (!keys.has(key)) said?.delete(key)
  }

  /** Forgets all other objects. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#said.keys()) if (!uids.has(uid)) this.#said.delete(uid)
  }
}
