import { OVER } from '../../../ground/model/over.ts'
import { toIso } from '../../../ground/model/time.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import { follow, holding, NO_STORY, type Notice, type Story } from '../../decide/notify/notice.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import type { HookSender } from './hook-sender.ts'

interface NotifierParts {
  readonly senders: readonly { readonly sender: HookSender; readonly holdForMs: number }[]
  readonly clock: Clock
}

interface Receiver {
  readonly sender: HookSender
  readonly holdForMs: number
  story: Story
  hold: AbortController | undefined
}

/** At the end of a roll, a person waits for the prompt. */
const CLOSE_LIMIT_MS = 10_000

/** Follows the events of a roll and tells each receiver what it wants to know. It takes no part in the roll and never fails one. */
export class Notifier {
  readonly #clock: Clock
  readonly #receivers: readonly Receiver[]

  constructor({ senders, clock }: NotifierParts) {
    this.#clock = clock
    this.#receivers = senders.map((sender) => ({ ...sender, story: NO_STORY, hold: undefined }))
  }

  note(event: StampedEvent): void {
    for (const receiver of this.#receivers) {
      const before = receiver.story.hold
      take(receiver, follow(receiver.story, event))
      const { hold } = receiver.story
      if (before?.since === hold?.since && before?.node === hold?.node) continue
      receiver.hold?.abort(OVER)
      receiver.hold = hold === undefined ? undefined : this.#later(receiver)
    }
  }

  async close(): Promise<void> {
    for (const { hold } of this.#receivers) hold?.abort(OVER)
    await Promise.all(this.#receivers.map(({ sender }) => sender.close(CLOSE_LIMIT_MS)))
  }

  #later(receiver: Receiver): AbortController {
    const timer = new AbortController()
    this.#clock.sleep(receiver.holdForMs, timer.signal).then(
      () => take(receiver, holding(receiver.story, toIso(this.#clock.wallMs()))),
      () => undefined,
    )
    return timer
  }
}

function take(receiver: Receiver, { story, notice }: { readonly story: Story; readonly notice?: Notice }): void {
  receiver.story = story
  if (notice !== undefined) receiver.sender.send(notice)
}
