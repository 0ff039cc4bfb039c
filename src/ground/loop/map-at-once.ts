/**
 * Runs `work` for each item, at most this many at a time, and resolves with the results in the order of the items. Rejects with
 * the first rejection; work that has not begun by then is not begun.
 */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(items.length)
  const waiting = items.entries()
  let failed = false
  const worker = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      if (failed) return
      try {
        results[at] = await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
