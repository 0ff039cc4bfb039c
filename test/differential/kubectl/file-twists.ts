import {
  anyDocument,
  bare,
  base64,
  context,
  type Draft,
  type DraftFile,
  type Fields,
  pick,
  type Twist,
  url,
} from './draft.ts'

const first = ({ files: [file] }: Draft): DraftFile => {
  if (file === undefined) throw new Error('no file is drawn')
  return file
}

const CONTEXTS: readonly Twist[] = [
  {
    name: 'the context has a namespace',
    change: (draft) => {
      context(draft).namespace = pick(draft, ['prod', 'kube-system', '', null, 7, 'a b', bare('~')])
    },
  },
  {
    name: 'the context names a user that is none',
    change: (draft) => {
      context(draft).user = pick(draft, ['', undefined, null, 'u9', 'u2', 7])
    },
  },
  {
    name: 'the context names a cluster that is none',
    change: (draft) => {
      context(draft).cluster = pick(draft, ['', undefined, null, 'c9', 'c2', 7])
    },
  },
  {
    name: 'the current context is another',
    change: (draft) => {
      anyDocument(draft)['current-context'] = pick(draft, ['x2', '', undefined, null, 'x9', ' x1', 7])
    },
  },
  {
    name: 'a context is chosen',
    change: (draft) => {
      draft.context = pick(draft, ['x2', 'x2', 'x1', 'x9', ''])
    },
  },
  {
    name: 'contexts are nothing',
    change: (draft) => {
      anyDocument(draft).contexts = pick<unknown>(draft, [
        ...[null, undefined, [], {}, 'x1', [null], [{ name: 'x1' }], [{ name: 'x1', context: null }]],
        ...[[{ name: 'x1', context: {} }], [{ context: { cluster: 'c1', user: 'u1' } }]],
      ])
    },
  },
]

const NAMED = { clusters: 'cluster', users: 'user', contexts: 'context' } as const
/** The entries of the context in use. */
const FIRST = { clusters: 'c1', users: 'u1', contexts: 'x1' } as const
const KINDS = ['clusters', 'users', 'contexts'] as const

const entriesOf = (document: Fields, kind: (typeof KINDS)[number]): Fields[] => {
  const entries: unknown = document[kind]
  return Array.isArray(entries) ? entries : []
}

/** What another file may say of an entry. */
function otherEntry(draft: Draft, kind: (typeof KINDS)[number]): Fields {
  switch (kind) {
    case 'clusters':
      return pick<Fields>(draft, [
        { server: url(draft, 'two'), 'certificate-authority-data': base64(draft.ground.authorities.second) },
        { server: url(draft, 'two') },
        { 'tls-server-name': 'localhost' },
        { 'proxy-url': `http://127.0.0.1:${draft.ground.proxies.http.port}` },
        { 'insecure-skip-tls-verify': true },
        {},
      ])
    case 'users':
      return pick<Fields>(draft, [{ token: 'of-another' }, { username: 'me', password: 'open' }, { as: 'jane' }, {}])
    case 'contexts':
      return pick<Fields>(draft, [{ cluster: 'c2', user: 'u2' }, { namespace: 'other' }, { user: 'u2' }, {}])
  }
}

/** Puts a file before or after the others. */
function addFile(draft: Draft, file: Partial<DraftFile> & Pick<DraftFile, 'path'>): void {
  const made: DraftFile = { document: {}, texts: [], encoding: 'utf8', ...file }
  if (draft.random.below(2) === 0) draft.files.push(made)
  else draft.files.unshift(made)
}

const anotherPath = (draft: Draft): string => {
  const name = `kc-${draft.files.length}`
  return pick(draft, [name, `more/${name}`])
}

const SETS: readonly Twist[] = [
  {
    name: 'entries are in several files',
    change: (draft) => {
      const { document } = first(draft)
      const other: Fields = {}
      for (const kind of KINDS) {
        const entries = entriesOf(document, kind)
        const moves = entries.map(() => draft.random.below(2) === 0)
        other[kind] = entries.filter((_, at) => moves[at])
        document[kind] = entries.filter((_, at) => !moves[at])
      }
      if (draft.random.below(2) === 0) {
        other['current-context'] = document['current-context']
        delete document['current-context']
      }
      addFile(draft, { path: anotherPath(draft), document: other })
    },
  },
  {
    name: 'another file has an entry of the same name',
    change: (draft) => {
      const kind = pick(draft, KINDS)
      const entry = { name: FIRST[kind], [NAMED[kind]]: otherEntry(draft, kind) }
      addFile(draft, { path: anotherPath(draft), document: { [kind]: [entry] } })
    },
  },
  {
    name: 'a file has an entry twice',
    change: (draft) => {
      const kind = pick(draft, KINDS)
      const document = anyDocument(draft)
      const [entry] = entriesOf(document, kind)
      if (entry !== undefined)
        document[kind] = [
          ...entriesOf(document, kind),
          pick(draft, [entry, { ...entry, [NAMED[kind]]: otherEntry(draft, kind) }]),
        ]
    },
  },
  {
    name: 'a file that says nothing',
    change: (draft) => {
      const text = pick(draft, [
        '',
        '\n',
        '# nothing\n',
        '---\n',
        '--- \n...\n',
        'null\n',
        '{}',
        '~',
        '[]',
        '"x"',
        '7',
        '\uFEFF',
        '   \n\t\n',
      ])
      addFile(draft, { path: anotherPath(draft), texts: [() => text] })
    },
  },
  {
    name: 'a file that is not there',
    change: (draft) => {
      const paths = draft.files.map(({ path }) => path)
      draft.kubeconfig = pick(draft, [
        [...paths, 'nowhere'],
        ['nowhere', ...paths],
        ['nowhere'],
        ['', ...paths],
        [...paths, ...paths],
        ['sub', ...paths],
      ])
    },
  },
  {
    name: 'a file that is broken',
    change: (draft) => {
      const text = pick(draft, [
        'clusters: [',
        'a: b: c',
        '\t- x',
        'kind: Pod\napiVersion: v1\n',
        'x',
        '{"a":',
        'users: x\n',
        'a: &b 1\nc: *d\n',
      ])
      addFile(draft, { path: anotherPath(draft), texts: [() => text] })
    },
  },
  {
    name: 'a file in another folder',
    change: (draft) => {
      if (draft.twists.includes('a file is used from another folder')) return
      first(draft).path = 'sub/kc.yaml'
      draft.twists.push('moved')
    },
  },
  {
    name: 'a file is used from another folder',
    change: (draft) => {
      draft.directory = pick(draft, ['sub', 'more'])
    },
  },
]

const put = (name: string, fields: (draft: Draft) => Fields): Twist => ({
  name,
  change: (draft) => void Object.assign(anyDocument(draft), fields(draft)),
})

const text = (name: string, change: (text: string, draft: Draft) => string): Twist => ({
  name,
  change: (draft) => void pick(draft, draft.files).texts.push((written) => change(written, draft)),
})

const FORMS: readonly Twist[] = [
  {
    name: 'an encoding',
    change: (draft) => {
      pick(draft, draft.files).encoding = pick(draft, ['utf8-bom', 'utf16le', 'utf16be'] as const)
    },
  },
  text('lines end in CRLF', (written) => written.replaceAll('\n', '\r\n')),
  text('it is JSON', (written, draft) => pick(draft, [' ', '\n', '']) + written),
  text(
    'a document before',
    (written, draft) =>
      pick(draft, ['---\n', '# x\n---\n', '%YAML 1.1\n---\n', '---\n---\n', 'a: 1\n---\n', '{}\n---\n']) + written,
  ),
  text(
    'a document behind',
    (written, draft) =>
      written +
      pick(draft, ['\n---\n', '\n---\nusers: []\n', '\n...\n', '\n---\nx: [\n', '\n---\n---\n', '\n...\nx: y: z\n']),
  ),
  text(
    'a field twice',
    (written, draft) =>
      written + pick(draft, ['\ncurrent-context: x2\n', '\ncurrent-context: x1\n', '\nkind: Config\nkind: Config\n']),
  ),
  text('an anchor', (written) => `${written.replace(/^( *)- name: c1$/m, '$1- &a\n$1  name: c1')}\nextra: *a\n`),
  text(
    'a key that is merged',
    (written) => `common: &common {token: merged}\n${written.replace(/^( *)token: of-u1$/m, '$1<<: *common')}`,
  ),
  text('a tag', (written, draft) =>
    written.replace(/token: (\S+)$/m, pick(draft, ['token: !!str $1', 'token: !!binary b2YtdTE=', 'token: !x $1'])),
  ),
  text('a comment', (written) => written.replaceAll(/$/gm, ' # x')),
  text('a text in other quotes', (written, draft) =>
    written.replace(
      /token: (\S+)$/m,
      pick(draft, [
        'token: "\\x6ff-u1"',
        "token: 'of-u1'",
        'token: >-\n        $1',
        'token: |\n        $1',
        'token: "$1\\\n        "',
      ]),
    ),
  ),
  text('spaces at the end', (written) => written.replaceAll('\n', '  \n')),
  text(
    'a character that no YAML has',
    (written, draft) => written + pick(draft, ['\u0000', '# \u0007\n', '# \uFFFE\n', '# \u00A0\n', '# \u{1F600}\n']),
  ),
  put('a version and kind', (draft) =>
    pick<Fields>(draft, [
      ...[
        { apiVersion: undefined },
        { kind: undefined },
        { apiVersion: undefined, kind: undefined },
        { apiVersion: 'v2' },
      ],
      ...[
        { kind: 'config' },
        { kind: 'Cfg' },
        { apiVersion: '' },
        { kind: '' },
        { apiVersion: 'config/v1' },
        { apiVersion: 1 },
        { kind: null },
      ],
    ]),
  ),
  put('fields that are not used', (draft) =>
    pick<Fields>(draft, [
      ...[
        { preferences: {} },
        { preferences: { colors: true } },
        { preferences: null },
        { preferences: 'x' },
        { extensions: [] },
      ],
      ...[
        { nonsense: { a: 1 } },
        { preferences: { colors: 'x' } },
        { 'CURRENT-CONTEXT': 'x2' },
        { currentContext: 'x2' },
      ],
      ...[{ extensions: [{ name: 'e', extension: { a: 1 } }] }, { extensions: 'x' }],
    ]),
  ),
  {
    name: 'an entry that nobody uses is odd',
    change: (draft) => {
      const kind = pick(draft, KINDS)
      const document = anyDocument(draft)
      const odd = pick<unknown>(draft, [
        ...[null, {}, { name: 'odd' }, { name: 'odd', [NAMED[kind]]: null }, { name: 7 }, 'odd', []],
        ...[
          { name: 'odd', [NAMED[kind]]: 'x' },
          { name: 'odd', [NAMED[kind]]: [] },
          { name: 'odd', nonsense: 1 },
          { name: 'odd', [NAMED[kind]]: { a: 7 } },
        ],
        ...[
          { name: 'odd', user: { token: 7 } },
          { name: 'odd', cluster: { server: 7 } },
          { name: 'odd', user: { exec: {} } },
        ],
      ])
      document[kind] =
        draft.random.below(2) === 0 ? [...entriesOf(document, kind), odd] : [odd, ...entriesOf(document, kind)]
    },
  },
  {
    name: 'a name is odd',
    change: (draft) => {
      const document = anyDocument(draft)
      const name = pick<unknown>(draft, ['a b', 'é', bare('yes'), bare('1'), 'a/b', 'X1', '"', bare('null'), 'x1 '])
      for (const entry of entriesOf(document, 'contexts')) if (entry?.name === 'x1') entry.name = name
      if (document['current-context'] === 'x1') document['current-context'] = name
    },
  },
]

export const FILE_TWISTS: readonly Twist[] = [...CONTEXTS, ...SETS, ...SETS, ...FORMS]
