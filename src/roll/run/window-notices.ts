import type { FailureWindow } from '../../ground/model/probe.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { isSameWindow } from '../decide/availability/same-window.ts'
import { windowKey } from '../decide/counted-windows.ts'

interface Notice {
  /** As it was read last. */
  readonly window: FailureWindow
  readonly noticedAt: MonoMs
  readonly isReported: boolean
}

interface DueNotice {
  readonly type: 'window.opened' | 'window.closed'
  readonly window: FailureWindow
}

/** Each window is reported once when it opens and once when it closes, however it grows in between. */
export class WindowNotices {
  readonly #closed = new Set<string>()
  #open: readonly Notice[] = []

  hasUnreported(): boolean {
    return this.#open.some(({ isReported }) => !isReported)
  }

  /** What is to be reported of these windows now. `mayTell`: whether one noticed then may be reported already. */
  due(windows: readonly FailureWindow[], now: MonoMs, mayTell: (noticedAt: MonoMs) => boolean): readonly DueNotice[] {
    return windows
      .filter((window) => !this.#closed.has(windowKey(window)))
      .flatMap((window) => this.#dueOf(window, now, mayTell))
  }

  #dueOf(window: FailureWindow, now: MonoMs, mayTell: (noticedAt: MonoMs) => boolean): readonly DueNotice[] {
    const same = this.#open.filter((notice) => isSameWindow(window, notice.window))
    const others = this.#open.filter((notice) => !same.includes(notice))
    const before = same.some(({ isReported }) => isReported)
    const noticedAt = same[0]?.noticedAt ?? now
    const isReported = before || mayTell(noticedAt)
    // Reported as over once it is known, too, what a control excuses of it.
    const isOver = isReported && window.firstOkAt !== undefined && window.undecided === undefined
    this.#open = isOver ? others : [...others, { window, noticedAt, isReported }]
    if (isOver) this.#closed.add(windowKey(window))
    return [
      ...(isReported && !before ? [{ type: 'window.opened', window } as const] : []),
      ...(isOver ? [{ type: 'window.closed', window } as const] : []),
    ]
  }
}
