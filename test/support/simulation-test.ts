import { after, test as reported } from 'node:test'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

export interface SimulationContext {
  /** Adds work that is done after the test, the last added first. */
  readonly after: (work: () => unknown) => void
}

type Body = (t: SimulationContext) => unknown

interface Ended {
  readonly error?: unknown
}

/**
 * `test` for the file `url`, whose tests run in a worker. The test runner follows each promise of its own thread with an async
 * hook, and a simulation makes so many of them that the hook costs as much as all the rest. A worker has no such hook.
 */
export const simulationTest = (url: string): ((name: string, body: Body) => void) =>
  isMainThread ? reportedBy(url) : runOnRequest()

/** The worker is begun by the first test that is not filtered out. */
function reportedBy(url: string): (name: string, body: Body) => void {
  let begun: Worker | undefined
  after(() => begun?.terminate())
  return (name) => {
    reported(name, async () => {
      begun ??= new Worker(new URL(url), { execArgv: ['--disable-warning=ExperimentalWarning'] })
      const { promise, resolve, reject } = Promise.withResolvers<Ended>()
      const onExit = (code: number): void => reject(new Error(`the worker of the simulations ended with ${code}`))
      begun.once('message', resolve).once('error', reject).once('exit', onExit)
      begun.postMessage(name)
      const ended = await promise.finally(() => begun?.off('message', resolve).off('error', reject).off('exit', onExit))
      if ('error' in ended) throw ended.error
    })
  }
}

function runOnRequest(): (name: string, body: Body) => void {
  const bodies = new Map<string, Body>()
  parentPort?.on('message', async (name: string) => {
    parentPort?.postMessage(await endOf(bodies.get(name)))
  })
  return (name, body) => {
    if (bodies.has(name)) throw new Error(`two simulations are called "${name}"`)
    bodies.set(name, body)
  }
}

async function endOf(body: Body | undefined): Promise<Ended> {
  const works: (() => unknown)[] = []
  try {
    if (body === undefined) throw new Error('the worker knows no such simulation')
    try {
      await body({ after: (work) => works.unshift(work) })
    } finally {
      for (const work of works) await work()
    }
    return {}
  } catch (error) {
    return { error }
  }
}
