import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isAccepted } from './accepted.ts'
import type { Draft } from './draft.ts'
import { drawSet, textOf, writeSet } from './draw.ts'
import type { Ground } from './ground.ts'
import { type Asked, askByKubectl, askByUs, type Outcome, type Use } from './sides.ts'

interface Parts {
  /** How kubectl is started. */
  readonly command: readonly string[]
  readonly ground: Ground
  /** A folder whose `$PATH` both have. */
  readonly folder: string
}

/** Gives the drawn set of that seed to both, and says where they differ; undefined: nowhere, or as is accepted. */
export async function compareSet({ command, ground, folder }: Parts, seed: number): Promise<string | undefined> {
  const draft = drawSet(ground, seed, join(folder, String(seed)))
  const kubeconfig = await writeSet(draft)
  const { context, env } = draft
  const use: Use = { kubeconfig, context, env, directory: join(draft.folder, draft.directory) }
  const kubectl = await askByKubectl(command, ground, use)
  const ours = await askByUs(ground, use)
  try {
    const differences = [differenceOf(kubectl.outcome, { ...ours.outcome, namespace: ours.namespace })]
    const isBegun = [kubectl, ours].every(({ outcome }) => outcome.error === undefined) && differences[0] === undefined
    if (draft.later !== undefined && isBegun) differences.push(await later(draft, kubectl, ours))
    const found = differences.find((difference) => difference !== undefined)
    return found === undefined ? undefined : report(seed, { draft, use, found })
  } finally {
    ground.wanted = undefined
    ours.close()
  }
}

async function later(
  { later: change, folder, ground }: Draft,
  kubectl: Asked,
  ours: Asked,
): Promise<string | undefined> {
  if (change === undefined) return undefined
  for (const base of ['.', 'sub', 'more']) await writeFile(join(folder, base, change.path), change.text)
  ground.wanted = change.accepted
  const [theirs, own] = [await kubectl.again(), await ours.again()]
  // A connection is kept: no further tunnel is asked for.
  const { tunnels } = theirs
  return differenceOf(theirs, { ...own, tunnels, namespace: theirs.arrival?.namespace })
}

function differenceOf(
  kubectl: Outcome,
  ours: Outcome & { readonly namespace: string | undefined },
): string | undefined {
  const said = `kubectl: ${show(kubectl)}\nours:    ${show(ours)}`
  if (ours.error?.startsWith('BUG')) return said
  if (kubectl.error !== undefined && ours.error !== undefined) return undefined
  if (isAccepted(kubectl, ours)) return undefined
  const arrived = ours.arrival && { ...ours.arrival, namespace: ours.namespace ?? 'default' }
  const { tunnels, heard, error } = ours
  return isDeepStrictEqual(kubectl, { arrival: arrived, tunnels, heard, error }) ? undefined : said
}

const show = ({ arrival, tunnels, heard, error, ...more }: Outcome): string =>
  [
    error?.replaceAll('\n', ' ').slice(0, 400),
    JSON.stringify(arrival),
    tunnels.join(' '),
    heard.join(' '),
    JSON.stringify(more),
  ]
    .filter((text) => text !== undefined && text !== '' && text !== '{}')
    .join(' | ')

interface Report {
  readonly draft: Draft
  readonly use: Use
  readonly found: string
}

const report = (seed: number, { draft, use, found }: Report): string =>
  [
    `set ${seed} (${draft.twists.join(', ')})`,
    `KUBECONFIG=${JSON.stringify(use.kubeconfig)} in ${draft.directory} context ${String(use.context)} ${JSON.stringify(use.env)}`,
    found,
    ...(process.env.KUBECONFIG_SEED === undefined
      ? []
      : draft.files.map((file) => `# ${file.path} ${file.encoding}\n${textOf(file)}`)),
  ].join('\n')
