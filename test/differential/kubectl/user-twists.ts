import { anyDocument, bare, base64, beside, type Draft, pick, type Twist, user } from './draft.ts'

type Given = Readonly<Record<string, unknown>>

/** Gives the user in use these fields, beside the token or in its place. */
const give = (name: string, fields: (draft: Draft) => Given, keeps: 'with a token' | 'alone' = 'alone'): Twist => ({
  name: keeps === 'alone' ? name : `${name}, beside a token`,
  change: (draft) => {
    const own = user(draft)
    if (keeps === 'alone') delete own.token
    Object.assign(own, fields(draft))
  },
})

const both = (name: string, fields: (draft: Draft) => Given): readonly Twist[] => [
  give(name, fields),
  give(name, fields, 'with a token'),
]

const TOKENS: readonly Twist[] = [
  give('a token of a kind', (draft) => ({
    token: pick(draft, [
      '',
      null,
      'a b',
      ' a',
      'a ',
      'a\n',
      'é',
      'a\tb',
      bare('yes'),
      bare('12'),
      bare('1e3'),
      bare('~'),
      42,
      true,
    ]),
  })),
  ...both('a file of a token', (draft) => ({
    tokenFile: beside(draft, { path: 'token', text: pick(draft, ['filed', 'filed\n', ' filed ', '', '\n', 'fi led']) }),
  })),
  ...both('a file of a token that is not there', (draft) => ({
    tokenFile: pick(draft, ['nowhere', '', null, '/nowhere/at/all']),
  })),
  {
    name: 'a file of a token that changes',
    change: (draft) => {
      delete user(draft).token
      user(draft).tokenFile = beside(draft, { path: 'token', text: 'first\n' })
      draft.later = { path: 'token', text: 'second\n', accepted: 'Bearer second' }
    },
  },
]

const pair = ({ ground }: Draft, name: 'jane' | 'joe') => {
  const { certificatePem, keyPem } = ground.clients[name]
  return { certificate: certificatePem, key: keyPem }
}

const CERT = 'client-certificate-data'
const KEY = 'client-key-data'
const CERT_FILE = 'client-certificate'
const KEY_FILE = 'client-key'

const inline = (draft: Draft, name: 'jane' | 'joe'): Given => {
  const { certificate, key } = pair(draft, name)
  return { [CERT]: base64(certificate), [KEY]: base64(key) }
}

const filed = (draft: Draft, name: 'jane' | 'joe'): Given => {
  const { certificate, key } = pair(draft, name)
  return {
    [CERT_FILE]: beside(draft, { path: `${name}.crt`, text: certificate }),
    [KEY_FILE]: beside(draft, { path: `${name}.key`, text: key }),
  }
}

const CERTIFICATES: readonly Twist[] = [
  ...both('a certificate', (draft) => inline(draft, 'jane')),
  ...both('a certificate in files', (draft) => filed(draft, 'jane')),
  give('a certificate in files and other data', (draft) => ({ ...inline(draft, 'jane'), ...filed(draft, 'joe') })),
  give('a certificate in a file and its key as data', (draft) => {
    const { [KEY]: key } = inline(draft, 'jane')
    const { [CERT_FILE]: certificate } = filed(draft, 'jane')
    return { [KEY]: key, [CERT_FILE]: certificate }
  }),
  give('a certificate as data and its key in a file', (draft) => {
    const { [CERT]: certificate } = inline(draft, 'jane')
    const { [KEY_FILE]: key } = filed(draft, 'jane')
    return { [CERT]: certificate, [KEY_FILE]: key }
  }),
  give('a certificate with the key of another', (draft) => ({
    ...inline(draft, 'jane'),
    [KEY]: inline(draft, 'joe')[KEY],
  })),
  ...both('a certificate without its key', (draft) => ({
    ...inline(draft, 'jane'),
    [KEY]: pick(draft, [undefined, '', null]),
  })),
  ...both('a key without its certificate', (draft) => ({
    ...inline(draft, 'jane'),
    [CERT]: pick(draft, [undefined, '', null]),
  })),
  give('a certificate that is none', (draft) => ({
    ...inline(draft, 'jane'),
    [CERT]: pick(draft, ['aGVsbG8=', '%%', 7]),
  })),
  give('a certificate in a file that is not there', (draft) => ({
    ...filed(draft, 'jane'),
    [pick(draft, [CERT_FILE, KEY_FILE])]: 'nowhere',
  })),
]

const PASSWORDS: readonly Twist[] = [
  ...both('a name and a password', (draft) => ({
    username: pick(draft, ['me', 'm:e', 'é']),
    password: pick(draft, ['open', 'o:p', 'ö']),
  })),
  ...both('a name without a password', () => ({ username: 'me' })),
  ...both('a password without a name', () => ({ password: 'open' })),
  give('an empty name and password', (draft) => ({
    token: 'of-u1',
    username: '',
    password: pick(draft, ['', undefined, null]),
  })),
  give('a name and a password with a certificate', (draft) => ({
    ...inline(draft, 'jane'),
    username: 'me',
    password: 'open',
  })),
  give('a name and a password that are numbers', () => ({ username: 'me', password: 1234 })),
]

const PARTS = ['as', 'as-uid', 'as-groups', 'as-user-extra'] as const

const OTHERS: readonly Twist[] = [
  {
    name: 'another user',
    change: (draft) => {
      const values: Record<(typeof PARTS)[number], readonly unknown[]> = {
        as: ['jane', 'system:serviceaccount:a:b', 'é', '', null, 'a b', 7],
        'as-uid': ['42', '', null, 'u-1', 42],
        'as-groups': [['ops', 'dev'], ['ops'], [], null, ['a,b'], [''], 'ops', ['ops', 'ops'], [1]],
        'as-user-extra': [
          ...[{ scopes: ['view'] }, { Scopes: ['view', 'edit'] }, { 'acme.com/a%b': ['x y'] }, {}, null],
          ...[{ scopes: [] }, { scopes: 'view' }, { 'é é': ['é'] }, { a_b: ['1'], c: ['2'] }, { scopes: [''] }],
        ],
      }
      const own = user(draft)
      if (draft.random.below(5) > 0) own.as = pick(draft, ['jane', 'joe'])
      for (const part of PARTS) if (draft.random.below(3) === 0) own[part] = pick(draft, values[part])
    },
  },
]

/** A JSON Web Token that ends in 2099. */
const LONG_VALID = `${base64('{"alg":"none"}')}.${base64('{"exp":4070908800}')}.x`.replaceAll('=', '')

const MORE: readonly Twist[] = [
  give('a provider that is gone', (draft) => ({
    'auth-provider': pick<unknown>(draft, [
      ...[{ name: 'gcp', config: {} }, { name: 'azure' }, { name: 'none' }, {}, null],
      ...[{ name: 'oidc', config: { 'client-id': 'x', 'idp-issuer-url': 'https://127.0.0.1:1' } }],
      { name: 'oidc', config: { 'client-id': 'x', 'idp-issuer-url': 'https://127.0.0.1:1', 'id-token': LONG_VALID } },
    ]),
  })),
  {
    name: 'the user is nothing',
    change: (draft) => {
      const document = anyDocument(draft)
      document.users = pick<unknown>(draft, [
        ...[null, undefined, [], {}, 'u1', [null], [{ name: 'u1' }], [{ name: 'u1', user: null }]],
        ...[
          [{ name: 'u1', user: {} }],
          [{ name: 'u1', user: 'x' }],
          [{ user: { token: 'x' } }],
          [{ name: '', user: {} }],
        ],
      ])
    },
  },
  give('fields that are not used', (draft) => ({
    token: 'of-u1',
    ...pick<Given>(draft, [{ extensions: [] }, { nonsense: 1 }, { 'token-file': 'nowhere' }, { impersonate: 'x' }]),
  })),
]

export const USER_TWISTS: readonly Twist[] = [
  ...TOKENS,
  ...CERTIFICATES,
  ...PASSWORDS,
  ...OTHERS,
  ...OTHERS,
  ...OTHERS,
  ...MORE,
]
