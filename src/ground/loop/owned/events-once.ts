import { apiVersionOf, type ObjectKind } from '../../model/object-kind.ts'
import type { ObjectNotice } from '../../model/object-notice.ts'
import type { Reason } from '../../model/reason.ts'
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

/** Which reasons are worth an Event, and whether a person is to look. */
export type EventTypes = Readonly<Partial<Record<Reason['code'], ObjectNotice['type']>>>

export const sayingsOf = (
  reasons: readonly Reason[],
  types: EventTypes,
  keyOf: (reason: Reason) => string,
): readonly Saying[] =>
  reasons.flatMap((reason) => {
    const type = types[reason.code]
    return type === undefined ? [] : [{ key: keyOf(reason), type, reason }]
  })

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

  /** All that is to be said now. The texts with other keys are over: they are written again when they come back. */
  async tellAll(about: About, sayings: readonly Saying[], signal: AbortSignal): Promise<void> {
    const said = this.#said.get(about.uid)
    const keys = new Set(sayings.map(({ key }) => key))
    for (const key of said?.keys() ?? []) if (!keys.has(key)) said?.delete(key)
    await this.tell(about, sayings, signal)
  }

  /** Forgets all other objects. */
  keepObjects(uids: ReadonlySet<string>): void {
    for (const uid of this.#said.keys()) if (!uids.has(uid)) this.#said.delete(uid)
  }
}
