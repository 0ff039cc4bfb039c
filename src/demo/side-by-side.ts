interface SideBySide<T, R> {
  readonly items: readonly T[]
  /** How many at once. */
  readonly lanes: number
  readonly work: (item: T, signal: AbortSignal) => Promise<R>
}

/** The results in the order of the items. If one cannot go on the others end too, and it rejects with the reason. */
export async function sideBySide<T, R>(
  { items, lanes, work }: SideBySide<T, R>,
  interrupted: AbortSignal,
): Promise<readonly R[]> {
  const failed = new AbortController()
  const signal = AbortSignal.any([interrupted, failed.signal])
  const results = new Map<T, R>()
  const waiting = [...items]
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.set(item, await work(item, signal))
    }
  }
  await Promise.all(Array.from({ length: lanes }, () => lane().catch((error: unknown) => failed.abort(error))))
  signal.throwIfAborted()
  return items.flatMap((item) => results.get(item) ?? [])
}
