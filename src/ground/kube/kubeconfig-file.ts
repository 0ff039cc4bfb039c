import { isAbsolute, resolve } from 'node:path'
import { MalformedReply, Untrusted } from '../model/untrusted.ts'
import { parseKubeYaml } from './kube-yaml.ts'

/** What one kubeconfig file says, or several that were merged. An absent text is empty, as in client-go. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>
  readonly users: ReadonlyMap<string, KubeconfigUser>
  readonly contexts: ReadonlyMap<string, KubeconfigContext>
  readonly currentContext: string
}

/** Paths of files are absolute, data are base64. */
export interface KubeconfigCluster {
  readonly server: string
  readonly tlsServerName: string
  readonly isUnchecked: boolean
  readonly caFile: string
  readonly caData: string
  readonly proxyUrl: string
  readonly compressesNothing: boolean
  /** The extension that plugins are given. */
  readonly pluginConfig: unknown
}

export interface KubeconfigUser {
  readonly certFile: string
  readonly certData: string
  readonly keyFile: string
  readonly keyData: string
  readonly token: string
  readonly tokenFile: string
  readonly username: string
  readonly password: string
  readonly as: string
  readonly asUid: string
  readonly asGroups: readonly string[]
  readonly asExtra: ReadonlyMap<string, readonly string[]>
  readonly provider: { readonly name: string; readonly config: Readonly<Record<string, string>> } | undefined
  readonly exec: KubeconfigPlugin | undefined
}

export interface KubeconfigPlugin {
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly interactiveMode: string
  readonly isGivenCluster: boolean
}

interface KubeconfigContext {
  readonly cluster: string
  readonly user: string
  readonly namespace: string
}

/**
 * Reads a file as client-go decodes it: a field of the wrong type, a name that is there twice or a file of another kind makes the
 * whole file unusable, also where nobody uses that entry. Relative paths begin at `directory`. Throws an error that says why.
 */
export function parseKubeconfig(bytes: Buffer, directory: string): Kubeconfig {
  const document = new Untrusted(parseKubeYaml(bytes), 'it')
  const at = (name: string) => new Untrusted(document.at(name).raw, name)
  checkKind(at('apiVersion').textOr(''), at('kind').textOr(''))
  const preferences = at('preferences')
  preferences.at('colors').flagOr(false)
  for (const extended of [preferences, document]) extensions(extended)
  const path = (field: Untrusted): string => pathFrom(directory, field.textOr(''))
  return {
    clusters: named(at('clusters'), (entry) => clusterOf(entry.at('cluster'), path)),
    users: named(at('users'), (entry) => userOf(entry.at('user'), { path, directory })),
    contexts: named(at('contexts'), (entry) => contextOf(entry.at('context'))),
    currentContext: at('current-context').textOr(''),
  }
}

function checkKind(apiVersion: string, kind: string): void {
  if (['', 'v1'].includes(apiVersion) && ['', 'Config'].includes(kind)) return
  throw new MalformedReply(`it is a ${kind || 'Config'} of ${apiVersion || 'v1'}, and no Config of v1`)
}

function named<T>(list: Untrusted, read: (entry: Untrusted) => T): ReadonlyMap<string, T> {
  const entries = new Map<string, T>()
  for (const entry of list.each()) {
    const name = entry.at('name').textOr('')
    if (entries.has(name)) throw new MalformedReply(`${list.path} has ${JSON.stringify(name)} twice`)
    entries.set(name, read(entry))
  }
  return entries
}

const extensions = (of: Untrusted): ReadonlyMap<string, unknown> =>
  named(of.at('extensions'), (entry) => entry.at('extension').raw)

type Path = (field: Untrusted) => string

function clusterOf(fields: Untrusted, path: Path): KubeconfigCluster {
  return {
    server: fields.at('server').textOr(''),
    tlsServerName: fields.at('tls-server-name').textOr(''),
    isUnchecked: fields.at('insecure-skip-tls-verify').flagOr(false),
    caFile: path(fields.at('certificate-authority')),
    caData: data(fields.at('certificate-authority-data')),
    proxyUrl: fields.at('proxy-url').textOr(''),
    compressesNothing: fields.at('disable-compression').flagOr(false),
    pluginConfig: extensions(fields).get('client.authentication.k8s.io/exec'),
  }
}

function userOf(fields: Untrusted, at: { readonly path: Path; readonly directory: string }): KubeconfigUser {
  const { path, directory } = at
  extensions(fields)
  const [provider, exec, extra] = [fields.at('auth-provider'), fields.at('exec'), fields.at('as-user-extra')]
  return {
    certFile: path(fields.at('client-certificate')),
    certData: data(fields.at('client-certificate-data')),
    keyFile: path(fields.at('client-key')),
    keyData: data(fields.at('client-key-data')),
    token: fields.at('token').textOr(''),
    tokenFile: path(fields.at('tokenFile')),
    username: fields.at('username').textOr(''),
    password: fields.at('password').textOr(''),
    as: fields.at('as').textOr(''),
    asUid: fields.at('as-uid').textOr(''),
    asGroups: texts(fields.at('as-groups')),
    asExtra: new Map(extra.absent ? [] : Object.keys(extra.fields()).map((key) => [key, texts(extra.at(key))])),
    provider: provider.absent
      ? undefined
      : { name: provider.at('name').textOr(''), config: provider.at('config').textMap() },
    exec: exec.absent ? undefined : pluginOf(exec, directory),
  }
}

function pluginOf(fields: Untrusted, directory: string): KubeconfigPlugin {
  fields.at('installHint').textOr('')
  const apiVersion = fields.at('apiVersion').textOr('')
  const command = fields.at('command').textOr('')
  return {
    apiVersion,
    // One without a slash is looked up in $PATH.
    command: command.includes('/') ? pathFrom(directory, command) : command,
    args: texts(fields.at('args')),
    env: fields
      .at('env')
      .each()
      .map((one) => ({ name: one.at('name').textOr(''), value: one.at('value').textOr('') })),
    interactiveMode: fields.at('interactiveMode').textOr('') || (OLD.test(apiVersion) ? 'IfAvailable' : ''),
    isGivenCluster: fields.at('provideClusterInfo').flagOr(false),
  }
}

/** These did not ask for it to be written. */
const OLD = /^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/

const contextOf = (fields: Untrusted): KubeconfigContext => {
  extensions(fields)
  return {
    cluster: fields.at('cluster').textOr(''),
    user: fields.at('user').textOr(''),
    namespace: fields.at('namespace').textOr(''),
  }
}

const pathFrom = (directory: string, path: string): string =>
  path === '' || isAbsolute(path) ? path : resolve(directory, path)

const texts = (list: Untrusted): readonly string[] => list.each().map((text) => text.textOr(''))

/** Base64 that may have line breaks. */
function data(field: Untrusted): string {
  const text = field.textOr('').replaceAll(/[\r\n]/g, '')
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return text
  throw new MalformedReply(`${field.path} is not base64`)
}
