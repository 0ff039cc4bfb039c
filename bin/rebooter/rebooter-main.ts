import { release, uptime } from 'node:os'
import process from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { lineLog } from '../../src/ground/machine/line-log.ts'
import { ownBootId } from '../../src/ground/machine/own-boot-id.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import { REBOOTER_HELP, type RebooterOptions, rebooterOptions } from '../../src/rebooter/cli/rebooter-options.ts'
import { followOwnNode } from '../../src/rebooter/io/follow-own-node.ts'
import { NeedFiles } from '../../src/rebooter/io/need-files.ts'
import { PathDoor } from '../../src/rebooter/io/path-door.ts'
import { SignalDoor } from '../../src/rebooter/io/signal-door.ts'
import { pathsToRead } from '../../src/rebooter/model/need-sources.ts'
import type { Door } from '../../src/rebooter/ports/door.ts'
import { NeedReporter } from '../../src/rebooter/run/need-reporter.ts'
import { Rebooter } from '../../src/rebooter/run/rebooter.ts'
import { SlotsReader } from '../../src/service/run/slots-reader.ts'
import { apiCredentials } from '../process/api-credentials.ts'
import { untilStopped } from '../process/until-stopped.ts'

/** No slot is judged by its age here. */
const SLOT_MS = 120_000
const LAST_WORD_MS = 3_000

const log = lineLog(process.stderr, clock)

async function runRebooter(options: RebooterOptions, stop: AbortSignal): Promise<void> {
  const { node } = options
  const bootId = await ownBootId(stop)
  if (bootId === undefined) {
    throw new UserError('the boot id of this machine cannot be read', {
      code: 'REBOOTER_OPTIONS',
      fix: 'run it on Linux, with /proc mounted',
    })
  }
  const client = new ApiClient({
    credentials: await apiCredentials(options.kubeconfig, 'REBOOTER_OPTIONS'),
    clock,
    userAgent: `evenkeel-rebooter/${manifest.version}`,
  })
  const follows = { client, reach: new ApiReach(clock), clock, random, log }
  // No address of the server is asked for here.
  const cluster = kubeCluster(follows, { address: '', port: 0 })
  const rebooter =
    options.door === undefined
      ? undefined
      : new Rebooter({ ...rebooterParts(options, { cluster, bootId }), follow: followOwnNode(follows, node) })
  const reporter = reporterOf(options, { cluster, bootId })
  log.warn('the rebooter runs', { node, door: options.door?.kind ?? 'none', need: reporter !== undefined })
  try {
    await Promise.all([rebooter?.run(stop), reporter?.run(stop)])
  } finally {
    await rebooter?.end(AbortSignal.timeout(LAST_WORD_MS)).catch(() => undefined)
  }
}

interface Place {
  readonly cluster: Cluster
  readonly bootId: string
}

function rebooterParts({ node, door, slotsNamespace }: RebooterOptions, { cluster, bootId }: Place) {
  const slots = new SlotsReader({ cluster, clock, namespace: slotsNamespace, durationMs: SLOT_MS })
  return {
    node,
    bootId,
    door: doorOf(door, bootId),
    cluster,
    slots: (signal: AbortSignal) => slots.read(1, signal),
    clock,
    random,
    log,
  }
}

const doorOf = (door: RebooterOptions['door'], bootId: string): Door =>
  door?.kind === 'path'
    ? new PathDoor({ directory: door.directory, bootId, clock, random, uptimeSeconds: uptime })
    : new SignalDoor({ comm: '/proc/1/comm', kill: (pid, signal) => void process.kill(pid, signal) })

function reporterOf({ node, need }: RebooterOptions, { cluster, bootId }: Place): NeedReporter | undefined {
  if (need === undefined) return undefined
  const { sources, root, everyMs } = need
  const files = new NeedFiles({ root, paths: pathsToRead(sources), kernel: release(), procStat: '/proc/stat' })
  return new NeedReporter({ node, bootId, sources, read: () => files.read(), cluster, clock, random, log, everyMs })
}

/** Exit code 0 once it was stopped, 2 for wrong options. */
export function rebooterMain(args: readonly string[]): Promise<number> {
  return untilStopped(async (signal) => {
    const options = rebooterOptions(args, process.env)
    if (options === undefined) {
      process.stdout.write(REBOOTER_HELP)
      return 0
    }
    await runRebooter(options, signal)
    return 0
  })
}
