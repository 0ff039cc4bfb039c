import process from 'node:process'
import type { BundleActions } from '../../src/explain/cli/bundle-actions.ts'
import { writeArchive } from '../../src/explain/io/write-archive.ts'
import { present } from '../../src/ground/model/present.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import type { RollHistory } from '../../src/roll/cli/roll-actions.ts'
import { readLatencyText } from '../../src/roll/io/latency-file.ts'
import { newestRun } from '../../src/roll/run/newest-run.ts'
import { rollActions } from '../roll/roll-actions.ts'
import { journals, type RollSurroundings } from '../roll/world.ts'

/** Variables that a roll uses; their values may be secrets, or lead to one. */
const VARIABLES = [
  ...[
    'KUBECONFIG',
    'XDG_STATE_HOME',
    'NO_COLOR',
    'FORCE_COLOR',
    'CI',
    'TERM',
    'COLORTERM',
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
  ],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...[
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'SSH_AUTH_SOCK',
    'KUBERNETES_SERVICE_HOST',
  ],
]

/** The files of a journal that cannot be read: it is all the more useful to send them. */
const UNREADABLE = ['journal.damaged', 'journal.version', 'journal.empty']

/** What `evenkeel bundle` does, on the journals of this machine. */
export const bundleActions = (surroundings: RollSurroundings & { readonly commit: string }): BundleActions => ({
  read: async ({ run: named, ...place }) => {
    const store = journals(place, surroundings)
    const run = named ?? (await newestRun(store))
    const history = await historyOrProblem(() => rollActions(surroundings).history({ ...place, run }))
    const latency = await readLatencyText(store.filesOf(run))
    return {
      run,
      journal: await store.text(run),
      ...history,
      ...present({ latency }),
    }
  },
  about: () => ({
    version: surroundings.version,
    commit: surroundings.commit,
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
    terminal: {
      term: surroundings.env.TERM ?? null,
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
      columns: process.stderr.columns ?? null,
    },
    variables: VARIABLES.filter((name) => surroundings.env[name] !== undefined),
  }),
  write: writeArchive,
})

async function historyOrProblem(
  read: () => Promise<RollHistory>,
): Promise<{ readonly history: RollHistory } | { readonly problem: string }> {
  try {
    return { history: await read() }
  } catch (error) {
    if (error instanceof UserError && UNREADABLE.includes(error.code)) return { problem: error.message }
    throw error
  }
}
