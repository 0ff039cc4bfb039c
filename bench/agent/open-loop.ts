import { get } from 'node:http'

const STEP_MS = 1

interface Asked {
  readonly sent: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Load {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
}

/** Requests at fixed times, each on a connection of its own, whatever becomes of those before. */
export async function openLoop({ url, perSecond, seconds }: Load): Promise<Asked> {
  const total = perSecond * seconds
  const begunAt = performance.now()
  const answers: Promise<number | undefined>[] = []
  while (answers.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begunAt) * perSecond) / 1_000) + 1)
    while (answers.length < due) answers.push(askOnce(url))
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
  const took = (await Promise.all(answers)).filter((ms) => ms !== undefined).toSorted((a, b) => a - b)
  return { sent: total, failed: total - took.length, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) }
}

/** Of what is sorted. */
export const quantile = (sorted: readonly number[], share: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 100) / 100

/** How long the answer took; undefined where there was none, or another status than 200. */
function askOnce(url: string): Promise<number | undefined> {
  const begunAt = performance.now()
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      response.once('error', () => resolve(undefined))
      response.once('end', () => resolve(response.statusCode === 200 ? performance.now() - begunAt : undefined))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(undefined))
  })
}
