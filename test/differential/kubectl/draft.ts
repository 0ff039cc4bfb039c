import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Ground } from './ground.ts'

export type Fields = Record<string, unknown>

/** One kubeconfig file before it is written. */
export interface DraftFile {
  /** From the folder of the scene. */
  path: string
  document: Fields
  /** What becomes of its text. */
  readonly texts: ((text: string) => string)[]
  encoding: 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be'
}

/** A set of kubeconfig files, and how a person uses them. Each twist changes something of it. */
export interface Draft {
  readonly ground: Ground
  readonly random: SeededRandom
  /** The folder of the scene; a file may name things in it by an absolute path. */
  readonly folder: string
  readonly files: DraftFile[]
  /** Certificates, tokens and what plugins answer, by their path from the folder. */
  readonly beside: Map<string, string>
  /** $KUBECONFIG, where it is not the paths of the files. */
  kubeconfig: readonly string[] | undefined
  context: string | undefined
  /** From the folder. */
  directory: string
  readonly env: Record<string, string>
  /** What is written anew before both are asked again, and what the API server then accepts. */
  later: { readonly path: string; readonly text: string; readonly accepted: string } | undefined
  /** Names of the twists. */
  readonly twists: string[]
}

export interface Twist {
  readonly name: string
  readonly change: (draft: Draft) => void
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A scalar that is written without quotes, and understood as the reader likes. */
export const bare = (text: string): string => `@bare ${text}@`

export function pick<T>(draft: Pick<Draft, 'random'>, values: readonly T[]): T {
  return values[draft.random.below(values.length)] as T
}

export const url = ({ ground }: Draft, server: keyof Ground['servers'], host = '127.0.0.1'): string =>
  `${server === 'plain' ? 'http' : 'https'}://${host}:${ground.servers[server].port}`

/** One file that both understand: context x1 of cluster c1 with user u1, beside others. */
export function plainDraft(ground: Ground, random: SeededRandom, folder: string): Draft {
  const draft: Draft = {
    ...{ ground, random, folder, files: [], beside: new Map(), env: {}, twists: [] },
    ...{ kubeconfig: undefined, context: undefined, directory: '.', later: undefined },
  }
  const ofOne = { server: url(draft, 'one'), 'certificate-authority-data': base64(ground.authorities.first) }
  const ofTwo = { server: url(draft, 'two'), 'certificate-authority-data': base64(ground.authorities.second) }
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'c1', cluster: ofOne },
      { name: 'c2', cluster: ofTwo },
    ],
    users: [
      { name: 'u1', user: { token: 'of-u1' } },
      { name: 'u2', user: { token: 'of-u2' } },
    ],
    contexts: [
      { name: 'x1', context: { cluster: 'c1', user: 'u1' } },
      { name: 'x2', context: { cluster: 'c2', user: 'u2', namespace: 'two' } },
    ],
    'current-context': 'x1',
  }
  draft.files.push({ path: 'kc.yaml', document, texts: [], encoding: 'utf8' })
  return draft
}

type Kind = 'clusters' | 'users' | 'contexts'
const FIELD = { clusters: 'cluster', users: 'user', contexts: 'context' } as const

/** The fields of the entry of that name in the first file that has it; those of a new one where none has. */
function fieldsOf(draft: Draft, kind: Kind, name: string): Fields {
  for (const { document } of draft.files) {
    const entries: unknown = document[kind]
    for (const entry of Array.isArray(entries) ? entries : []) {
      const fields: unknown = entry?.[FIELD[kind]]
      if (entry?.name === name && typeof fields === 'object' && fields !== null) return fields as Fields
    }
  }
  return {}
}

/** Of the context that the plain draft uses. */
export const cluster = (draft: Draft): Fields => fieldsOf(draft, 'clusters', 'c1')
export const user = (draft: Draft): Fields => fieldsOf(draft, 'users', 'u1')
export const context = (draft: Draft): Fields => fieldsOf(draft, 'contexts', 'x1')

/** The document of one of the files. */
export const anyDocument = (draft: Draft): Fields => pick(draft, draft.files).document

/** Writes a file and gives its path as a kubeconfig in the folder `from` may name it: relative to that, or absolute. */
export function beside(draft: Draft, { path, text }: { readonly path: string; readonly text: string }): string {
  draft.beside.set(path, text)
  return pick(draft, [path, `./${path}`, `${draft.folder}/${path}`, `sub/../${path}`])
}
