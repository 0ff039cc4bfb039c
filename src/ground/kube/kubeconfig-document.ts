import { isAbsolute, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'

type Fields = Readonly<Record<string, unknown>>

/**
 * A kubeconfig file in the form that client-node's KubeConfig understands. Two things are translated: the format's `tokenFile`,
 * which it only knows for service accounts, and a plugin's command that is relative to the file. Throws YAMLParseError, whose
 * message has line and column.
 */
export function kubeconfigDocument(text: string, directory: string): KubeconfigDocument {
  const document = firstDocument(text)
  if (!isFields(document)) throw new TypeError('it is not a mapping of clusters, users and contexts')
  const entries: readonly unknown[] = Array.isArray(document.users) ? document.users : []
  const users = entries.map((entry) => userEntry(entry, directory))
  return { text: JSON.stringify({ ...document, users }), impersonations: new Map(entries.flatMap(impersonationOf)) }
}

interface KubeconfigDocument {
  readonly text: string
  /** Name of a user → `of nobody`: it has groups, a uid or more without a user. Else the headers by which its requests are made as another user (client-go, transport/round_trippers.go). */
  readonly impersonations: ReadonlyMap<string, Impersonation | 'of nobody'>
}

export type Impersonation = Readonly<Record<string, string | string[]>>

/** As kubectl reads a file: further documents do not count, and an empty file says nothing. Throws YAMLParseError. */
function firstDocument(text: string): unknown {
  const [first] = parseAllDocuments(text)
  if (first === undefined || !('contents' in first)) return {}
  const [error] = first.errors
  if (error !== undefined) throw error
  return first.toJS() ?? {}
}

function impersonationOf(entry: unknown): readonly (readonly [string, Impersonation | 'of nobody'])[] {
  if (!isFields(entry) || typeof entry.name !== 'string' || !isFields(entry.user)) return []
  const { as: user, 'as-groups': groups, 'as-uid': uid, 'as-user-extra': extra } = entry.user
  const given = [uid, ...[groups].flat(), ...Object.keys(isFields(extra) ? extra : {})].filter((value) => value)
  if (typeof user !== 'string' || user === '') {
    return given.length === 0 ? [] : [[entry.name, 'of nobody']]
  }
  const ofExtra = Object.entries(isFields(extra) ? extra : {}).map(([key, values]) => [
    `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
    [values].flat().map(String),
  ])
  const headers = {
    'Impersonate-User': user,
    ...(uid ? { 'Impersonate-Uid': String(uid) } : {}),
    ...(Array.isArray(groups) && groups.length > 0 ? { 'Impersonate-Group': groups.map(String) } : {}),
    ...(Object.fromEntries(ofExtra) as Impersonation),
  }
  return [[entry.name, headers]]
}

function userEntry(entry: unknown, directory: string): unknown {
  if (!isFields(entry) || !isFields(entry.user)) return entry
  return { ...entry, user: withPluginPath(withTokenFile(entry.user, directory), directory) }
}

/** A token file is read again and again, and has precedence over a token in the kubeconfig, as in kubectl. */
function withTokenFile(user: Fields, directory: string): Fields {
  if (typeof user.tokenFile !== 'string') return user
  const { token: _, tokenFile, ...rest } = user
  const config = { tokenFile: resolve(directory, user.tokenFile) }
  return { ...rest, 'auth-provider': { name: 'tokenFile', config } }
}

/** A command with a slash is relative to the file, one without is looked up in $PATH (client-go's rule). */
function withPluginPath(user: Fields, directory: string): Fields {
  if (!isFields(user.exec) || typeof user.exec.command !== 'string') return user
  const { command } = user.exec
  if (!command.includes('/') || isAbsolute(command)) return user
  return { ...user, exec: { ...user.exec, command: resolve(directory, command) } }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
