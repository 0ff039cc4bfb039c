import { bare, cluster, type Draft, type Fields, pick, type Twist, user } from './draft.ts'

const V1 = 'client.authentication.k8s.io/v1'
/** Of the cluster's extensions, the one that plugins are told of. */
const EXTENSION = 'client.authentication.k8s.io/exec'
const BETA = 'client.authentication.k8s.io/v1beta1'

/** Prints what $PLUGIN_SAYS names, and writes down what it was given. */
export const PLUGIN = `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >> "$PLUGIN_HEARD"
echo "arguments: $* A: $A" >> "$PLUGIN_HEARD"
test -n "$PLUGIN_FAILS" && { echo "log in first" >&2; exit 3; }
cat "$PLUGIN_SAYS"
`

interface Plugin {
  exec: Fields
  says: string
}

/** Gives the user in use a plugin, which `change` may spoil. */
const plugin = (name: string, change: (plugin: Plugin, draft: Draft) => void): Twist => ({
  name: `a plugin: ${name}`,
  change: (draft) => {
    const made: Plugin = {
      exec: { apiVersion: V1, command: `${draft.folder}/plug`, interactiveMode: 'Never' },
      says: JSON.stringify(credential({ token: 'plugged' })),
    }
    change(made, draft)
    const own = user(draft)
    if (!draft.twists.some((twist) => twist.startsWith('a plugin'))) delete own.token
    draft.beside.set('says', made.says)
    const env = [{ name: 'PLUGIN_SAYS', value: `${draft.folder}/says` }]
    own.exec = { env, ...made.exec }
  },
})

const credential = (status: unknown, apiVersion = V1): Fields => ({ apiVersion, kind: 'ExecCredential', status })

const certified = ({ ground }: Draft): Fields => {
  const { certificatePem, keyPem } = ground.clients.joe
  return { clientCertificateData: certificatePem, clientKeyData: keyPem }
}

const yaml = (fields: Fields): string =>
  ['apiVersion', 'kind'].map((name) => `${name}: ${String(fields[name])}\n`).join('') +
  `status:\n  token: ${String(Object(fields.status).token)}\n`

const COMMANDS: readonly Twist[] = [
  plugin('by a path beside the file', (made, draft) => {
    made.exec.command = pick(draft, [
      './plug',
      'sub/plug',
      'sub/../plug',
      './sub/plug',
      '../plug',
      '..//plug',
      './nowhere',
    ])
  }),
  plugin('by a name in $PATH', (made, draft) => {
    made.exec.command = pick(draft, ['plug-in-path', 'plug', 'plug-nowhere'])
  }),
  plugin('of a command that is none', (made, draft) => {
    made.exec.command = pick<unknown>(draft, ['', undefined, null, 7, '~/plug', '$HOME/plug', draft.folder])
  }),
  plugin('with arguments', (made, draft) => {
    made.exec.args = pick<unknown>(draft, [null, [], ['a', 'b c'], 'a', [1], [bare('yes')]])
  }),
  plugin('with variables', (made, draft) => {
    const says = { name: 'PLUGIN_SAYS', value: `${draft.folder}/says` }
    made.exec.env = pick<unknown>(draft, [
      ...[
        [says, { name: 'A', value: 'b' }],
        [says, { name: 'A', value: '' }],
        [says, { name: 'A' }],
        [says, says],
      ],
      ...[
        [says, { name: '', value: 'x' }],
        [says, { value: 'x' }],
        [says, { name: 'A', value: 1 }],
        [says, null],
        null,
        'x',
      ],
    ])
  }),
  plugin('that fails', (made, draft) => {
    made.exec.env = [
      { name: 'PLUGIN_SAYS', value: `${draft.folder}/says` },
      { name: 'PLUGIN_FAILS', value: 'yes' },
    ]
  }),
]

const FIELDS: readonly Twist[] = [
  plugin('of a version', (made, draft) => {
    made.exec.apiVersion = pick(draft, [BETA, BETA, 'client.authentication.k8s.io/v1alpha1', 'v1', '', undefined, null])
    made.says = JSON.stringify(credential({ token: 'plugged' }, pick(draft, [String(made.exec.apiVersion), V1])))
  }),
  plugin('that may ask a person', (made, draft) => {
    made.exec.apiVersion = pick(draft, [V1, BETA])
    made.says = JSON.stringify(credential({ token: 'plugged' }, String(made.exec.apiVersion)))
    made.exec.interactiveMode = pick(draft, ['IfAvailable', 'Always', 'Never', '', undefined, null, 'never', 'Maybe'])
  }),
  plugin('that is told of the cluster', (made, draft) => {
    made.exec.provideClusterInfo = pick<unknown>(draft, [true, true, false, null, 'true', bare('yes')])
    cluster(draft)['proxy-url'] = pick(draft, [undefined, `socks5://127.0.0.1:${draft.ground.proxies.socks.port}`])
    const extension = pick<unknown>(draft, [{ audience: 'a' }, 'a', null, [1]])
    cluster(draft).extensions = pick<unknown>(draft, [
      undefined,
      [],
      [{ name: EXTENSION, extension }],
      [{ name: 'other', extension }],
    ])
  }),
  plugin('with a hint', (made, draft) => {
    made.exec.installHint = pick<unknown>(draft, ['install it', null, 7])
    if (draft.random.below(2) === 0) made.exec.command = 'plug-nowhere'
  }),
  plugin('beside a token', (_, draft) => {
    draft.twists.push('a plugin beside a token')
    user(draft).token = pick(draft, ['of-u1', ''])
  }),
  plugin('beside a certificate', (_, draft) => {
    const { certificatePem, keyPem } = draft.ground.clients.jane
    user(draft)['client-certificate-data'] = Buffer.from(certificatePem).toString('base64')
    user(draft)['client-key-data'] = Buffer.from(keyPem).toString('base64')
  }),
  plugin('beside a password', (_, draft) => Object.assign(user(draft), { username: 'me', password: 'open' })),
  plugin('beside a file of a token', (_, draft) => {
    draft.beside.set('token', 'filed\n')
    user(draft).tokenFile = `${draft.folder}/token`
  }),
  plugin('beside a provider', (_, draft) => {
    user(draft)['auth-provider'] = pick(draft, [{ name: 'gcp' }, { name: 'none', config: {} }])
  }),
  {
    name: 'a plugin: none',
    change: (draft) => {
      user(draft).exec = pick<unknown>(draft, [null, {}, 'plug', []])
    },
  },
]

const ANSWERS: readonly Twist[] = [
  plugin('that answers YAML', (made, draft) => {
    made.says = pick(draft, ['', '---\n', '# a comment\n', '\n\n']) + yaml(credential({ token: 'plugged' }))
  }),
  plugin('that answers with a certificate', (made, draft) => {
    const { clientCertificateData, clientKeyData } = certified(draft)
    made.says = JSON.stringify(
      credential(
        pick<Fields>(draft, [
          { clientCertificateData, clientKeyData },
          { token: 'plugged', clientCertificateData, clientKeyData },
          ...[{ clientCertificateData }, { clientKeyData }, { clientCertificateData, clientKeyData: 'none' }],
        ]),
      ),
    )
  }),
  plugin('that answers with an end', (made, draft) => {
    const ends = ['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '', null, 'tomorrow', 7]
    made.says = JSON.stringify(credential({ token: 'plugged', expirationTimestamp: pick(draft, ends) }))
  }),
  plugin('that answers in another shape', (made, draft) => {
    made.says = JSON.stringify(
      pick<unknown>(draft, [
        ...[
          credential(undefined),
          credential(null),
          credential({}),
          credential({ token: '' }),
          credential({ token: 7 }),
        ],
        ...[{ status: { token: 'plugged' } }, { kind: 'ExecCredential', status: { token: 'plugged' } }],
        ...[
          { apiVersion: V1, status: { token: 'plugged' } },
          { apiVersion: V1, kind: 'Pod', status: { token: 'plugged' } },
        ],
        ...[
          credential({ token: 'plugged' }, BETA),
          credential({ token: 'plug ged\n' }),
          credential({ token: 'plugged', more: 1 }),
        ],
        ...[null, [], 'plugged', 7, { ...credential({ token: 'plugged' }), spec: {}, more: [1] }],
      ]),
    )
  }),
  plugin('that answers with more text', (made, draft) => {
    made.says = pick(draft, [
      ...[`${made.says}\n\n`, `  ${made.says}`, `${made.says}{}`, `${made.says}\nbye`, `hello\n${made.says}`, ''],
      ...[`\uFEFF${made.says}`, `${made.says}\n---\n{}\n`, 'not { json'],
    ])
  }),
  {
    name: 'a plugin: whose token changes',
    change: (draft) => {
      const own = user(draft)
      delete own.token
      const env = [{ name: 'PLUGIN_SAYS', value: `${draft.folder}/says` }]
      own.exec = { apiVersion: V1, command: `${draft.folder}/plug`, interactiveMode: 'Never', env }
      draft.beside.set('says', JSON.stringify(credential({ token: 'first' })))
      const text = JSON.stringify(credential({ token: 'second' }))
      draft.later = { path: 'says', text, accepted: 'Bearer second' }
    },
  },
]

export const PLUGIN_TWISTS: readonly Twist[] = [...COMMANDS, ...FIELDS, ...ANSWERS]
