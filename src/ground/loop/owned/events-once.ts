import { apiVersionOf, type ObjectKind } from '../../model/object-kind.ts'
import type { ObjectNotice } from '../../model/object-notice.ts'
import type { ObjectNotices } from '../../ports/object-notices.ts'

/** What is to be said of an object. */
export interface Saying extends Pick<ObjectNotice, 'type' | 'reason'> {
  /** Of what is said by the same key, only another text is said again. */
  readonly key: string
}

interface About {
  readonly kind: Pick<ObjectKind<unknown>, 'group' | 'version' | 'kind'>
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Tells of objects by Events what a person is to know, each thing once. */
export class EventsOnce {
  readonly #notices: ObjectNotices
  /** By the UID of the object, then by the key: the text that was said last. */
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

  /** What is said by other keys is over: it is said again when it comes back. */
  forgetOthers(uid: string, keys: ReadonlySet<string>): void {
    const said = this.#said.get(uid)
    for (const key of said?.keys() ?? []) if (!keys.has(key)) said?.delete(key)
  }

  /** Only these objects are there. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#said.keys()) if (!uids.has(uid)) this.#said.delete(uid)
  }
}
