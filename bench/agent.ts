/**
 * The node agent beside a program that does what people write in an afternoon (`testbed/go/nodecheck`), on one real API
 * server: `node bench/agent.ts [MINUTES]`, for how long memory is watched (2), both at once. Prints a line, then JSON.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { bundlesInCluster } from '../deploy/image/bundle.ts'
import { clusterImage } from '../deploy/image/cluster-image.ts'
import { administrator } from '../test/support/administrator.ts'
import { rawApi } from '../test/support/raw-api.ts'
import { openBed } from '../testbed/bed.ts'
import { ensureBuilt } from '../testbed/build.ts'
import type { AgentDocument, MemoryFigures, ProgramFigures } from './agent/agent-document.ts'
import { agentFigures } from './agent/agent-figures.ts'
import { apiRequests } from './agent/api-requests.ts'
import { lostNodes } from './agent/lost-nodes.ts'
import { memoryUnderChecks } from './agent/memory-under-checks.ts'
import { noticeTime, openWatches } from './agent/notice-time.ts'
import { openLoop, quantile } from './agent/open-loop.ts'
import { podAccount } from './agent/pod-account.ts'
import { type Place, type Running, startAgent, startNodecheck } from './agent/programs.ts'
import { figuresTable } from './report/figures-table.ts'

const NODES = 200
const MEASURED_AGENTS = 5
const ROUNDS = 3
const STARTS = 3
const PORT = 28_080
const names = Array.from({ length: NODES }, (_, i) => `n${i + 1}`)

type Asked = Omit<ProgramFigures, 'memory'>
type Start = (place: Place, node: string, port: number) => Promise<Running>

/** Both programs in turn, so that a moment in which the API server is busy is not one program's alone. */
async function measure(place: Place): Promise<readonly [Asked, Asked]> {
  const rounds: [Asked, Asked][] = []
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push([await measureOne(startAgent, place), await measureOne(startNodecheck, place)])
  return [summed(rounds.map(([agent]) => agent)), summed(rounds.map(([, article]) => article))]
}

async function measureOne(start: Start, place: Place): Promise<Asked> {
  const startMs: number[] = []
  for (let i = 0; i < STARTS; i += 1) {
    const started = await start(place, 'n1', PORT)
    startMs.push(started.startMs)
    await started.end()
  }
  const running = await start(place, 'n1', PORT)
  try {
    await openLoop({ url: running.url, perSecond: 50, seconds: 5 })
    const before = apiRequests(bed.auditLog)
    const asked = await openLoop({ url: running.url, perSecond: 200, seconds: 20 })
    const requests = apiRequests(bed.auditLog) - before
    return { startMs, ...asked, apiRequestsPerProbe: requests / asked.sent }
  } finally {
    await running.end()
  }
}

/** What was counted of all rounds, and the median of what was timed. */
function summed(rounds: readonly Asked[]): Asked {
  const sum = (of: (round: Asked) => number): number => rounds.reduce((total, round) => total + of(round), 0)
  const middle = (of: (round: Asked) => number): number =>
    quantile(
      rounds.map(of).toSorted((a, b) => a - b),
      0.5,
    )
  return {
    startMs: rounds.flatMap(({ startMs }) => startMs),
    sent: sum(({ sent }) => sent),
    failed: sum(({ failed }) => failed),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    apiRequestsPerProbe: Math.round((10_000 * sum((round) => round.apiRequestsPerProbe)) / rounds.length) / 10_000,
  }
}

/** The memory of a program that has just started. */
async function memory(start: Start, place: Place, port: number): Promise<MemoryFigures> {
  const running = await start(place, 'n1', port)
  try {
    return await memoryUnderChecks(running.pid, running.url, minutes)
  } finally {
    await running.end()
  }
}

const minutes = Number(process.argv[2] ?? 2)
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'))
const { programs } = await ensureBuilt(() => undefined, false)
// Before anything is timed.
const image = await clusterImage('evenkeel.local/evenkeel:bench')
const bed = await openBed({ controlPlaneOnly: true })
const { ask, close } = rawApi(bed.kubeconfig)
try {
  const api = administrator(bed.kubeconfig)
  await lostNodes(ask, names)
  const [{ content }] = await bundlesInCluster()
  writeFileSync(join(folder, 'evenkeel.cjs'), content)
  const place: Place = {
    api,
    account: await podAccount(ask, api, folder),
    bundle: join(folder, 'evenkeel.cjs'),
    nodecheck: join(programs, 'nodecheck'),
  }
  const [askedAgent, askedArticle] = await measure(place)
  const [ofAgent, ofArticle] = await Promise.all([
    memory(startAgent, place, PORT),
    memory(startNodecheck, place, PORT + 2),
  ])
  const agent = { ...askedAgent, memory: ofAgent }
  const article = { ...askedArticle, memory: ofArticle }
  const closeWatches = await openWatches(api, names.slice(MEASURED_AGENTS))
  const agents = await Promise.all(
    names
      .slice(0, MEASURED_AGENTS)
      .map(async (node, i) => ({ node, ...(await startAgent(place, node, PORT + 2 * i)) })),
  )
  const noticeMs = await noticeTime(ask, agents, 40)
  closeWatches()
  await Promise.all(agents.map((one) => one.end()))
  const document: AgentDocument = {
    bench: 'agent',
    agent,
    article,
    watches: NODES,
    noticeMs,
    imageMb: Math.round(image.length / 10_000) / 100,
    cores: availableParallelism(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
  process.stdout.write(`${figuresTable(agentFigures(document))}\n${JSON.stringify(document)}\n`)
} finally {
  close()
  await bed.close()
  rmSync(folder, { recursive: true })
}
