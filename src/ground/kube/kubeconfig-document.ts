import { isAbsolute, join } from 'node:path'
import { parse } from 'yaml'

type Fields = Readonly<Record<string, unknown>>

/**
 * A kubeconfig file in the form that client-node's KubeConfig understands. Two things are translated: the format's `tokenFile`,
 * which it only knows for service accounts, and a plugin's command that is relative to the file. Throws YAMLParseError, whose
 * message has line and column.
 */
export function kubeconfigDocument(text: string, directory: string): string {
  const document: unknown = parse(text)
  if (!isFields(document)) throw new TypeError('it is not a mapping of clusters, users and contexts')
  const users = Array.isArray(document.users) ? document.users.map((entry) => userEntry(entry, directory)) : []
  return JSON.stringify({ ...document, users })
}

function userEntry(entry: unknown, directory: string): unknown {
  if (!isFields(entry) || !isFields(entry.user)) return entry
  return { ...entry, user: withPluginPath(withTokenFile(entry.user, directory), directory) }
}

/** A token file is read again and again, and has precedence over a token in the kubeconfig, as in kubectl. */
function withTokenFile(user: Fields, directory: string): Fields {
  if (typeof user.tokenFile !== 'string') return user
  const { token: _, tokenFile, ...rest } = user
  const config = { tokenFile: isAbsolute(user.tokenFile) ? user.tokenFile : join(directory, user.tokenFile) }
  return { ...rest, 'auth-provider': { name: 'tokenFile', config } }
}

/** A command with a slash is relative to the file, one without is looked up in $PATH (client-go's rule). */
function withPluginPath(user: Fields, directory: string): Fields {
  if (!isFields(user.exec) || typeof user.exec.command !== 'string') return user
  const { command } = user.exec
  if (!command.includes('/') || isAbsolute(command)) return user
  return { ...user, exec: { ...user.exec, command: join(directory, command) } }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
