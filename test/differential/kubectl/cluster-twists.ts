import { anyDocument, bare, base64, beside, cluster, type Draft, pick, type Twist, url } from './draft.ts'

/** Puts fields of the cluster in use. */
const put = (name: string, fields: (draft: Draft) => Readonly<Record<string, unknown>>): Twist => ({
  name,
  change: (draft) => void Object.assign(cluster(draft), fields(draft)),
})

const CA = 'certificate-authority-data'
const CA_FILE = 'certificate-authority'
const NO_CHECK = 'insecure-skip-tls-verify'

const SERVERS: readonly Twist[] = [
  put('the server has a path', (draft) => ({
    server: `${url(draft, 'one')}${pick(draft, ['/', '/k8s/clusters/c-1', '/k8s/', '//', '/a%20b', '/a b'])}`,
  })),
  put('the server has a query or a fragment', (draft) => ({
    server: `${url(draft, 'one')}${pick(draft, ['?a=b', '/x?a=b', '#x'])}`,
  })),
  put('the server is named', (draft) => ({ server: url(draft, 'one', 'localhost') })),
  put('the scheme is in capitals', (draft) => ({ server: url(draft, 'one').replace('https', 'HTTPS') })),
  put('the server has no scheme', (draft) => ({
    server: url(draft, pick(draft, ['one', 'plain'])).replace(/https?:\/\//, ''),
  })),
  put('the server has a user in its URL', (draft) => ({ server: url(draft, 'one', 'me:secret@127.0.0.1') })),
  put('the server has spaces around it', (draft) => ({
    server: pick(draft, [` ${url(draft, 'one')}`, `${url(draft, 'one')} `]),
  })),
  put('the server is plain HTTP on this machine', (draft) => ({
    server: url(draft, 'plain', pick(draft, ['127.0.0.1', 'localhost'])),
    ...pick(draft, [{}, { [CA]: undefined }, { [CA]: undefined, [NO_CHECK]: true }]),
  })),
  put('the server is empty', (draft) => ({ server: pick(draft, ['', undefined, null]) })),
  put('the server is none', (draft) => ({
    server: pick(draft, ['ftp://127.0.0.1', 'https://', 'https://127.0.0.1:99999', 'https://[::1', 42]),
  })),
]

const AUTHORITIES: readonly Twist[] = [
  put('the authority is a file', (draft) => ({
    [CA]: pick(draft, [undefined, '', null]),
    [CA_FILE]: beside(draft, { path: 'ca.crt', text: draft.ground.authorities.first }),
  })),
  put('the authority is the wrong file and the right data', (draft) => ({
    [CA_FILE]: beside(draft, { path: 'wrong.crt', text: draft.ground.authorities.second }),
  })),
  put('the authority is the right file and the wrong data', (draft) => ({
    [CA]: base64(draft.ground.authorities.second),
    [CA_FILE]: beside(draft, { path: 'ca.crt', text: draft.ground.authorities.first }),
  })),
  put('the authority is a file that is not there', (draft) => ({
    [CA]: pick(draft, [undefined, base64(draft.ground.authorities.first)]),
    [CA_FILE]: 'nowhere.crt',
  })),
  put('the authority is another one', ({ ground }) => ({ [CA]: base64(ground.authorities.second) })),
  put('the authority is one of two', ({ ground }) => ({
    [CA]: base64(`${ground.authorities.second}${ground.authorities.first}`),
  })),
  put('the authority is none', (draft) => ({
    [CA]: pick(draft, [undefined, '', null, base64(''), base64('hello'), '%%%', 42]),
  })),
  put('the data of the authority have line breaks', ({ ground }) => ({
    [CA]: base64(ground.authorities.first).replaceAll(/.{64}/g, '$&\n'),
  })),
  put('certificates are not checked', (draft) => ({
    [NO_CHECK]: pick(draft, [true, true, 'true', bare('yes'), bare('True'), bare('on'), 1]),
    ...pick(draft, [{ [CA]: undefined }, {}]),
  })),
  put('certificates are not checked, beside a file of an authority', (draft) => ({
    [NO_CHECK]: true,
    [CA]: undefined,
    [CA_FILE]: beside(draft, { path: 'ca.crt', text: draft.ground.authorities.first }),
  })),
  put('certificates are checked', (draft) => ({ [NO_CHECK]: pick(draft, [false, null, bare('no'), bare('off'), '']) })),
]

const NAMES: readonly Twist[] = [
  put('the certificate bears another name', (draft) => ({
    server: url(draft, 'named'),
    'tls-server-name': pick(draft, ['api.internal', 'API.internal', 'api.internal', '', undefined, 'other.internal']),
  })),
  put('another name is given', (draft) => ({
    'tls-server-name': pick(draft, ['localhost', 'api.invalid', '', null, '127.0.0.1', 7]),
  })),
  put('another name is given where certificates are not checked', () => ({
    ...{ [NO_CHECK]: true, [CA]: undefined, 'tls-server-name': 'anything.example' },
  })),
]

const PROXIES: readonly Twist[] = [
  put('a proxy is named', (draft) => ({
    'proxy-url': `http://127.0.0.1:${draft.ground.proxies.http.port}${pick(draft, ['', '/'])}`,
  })),
  put('a proxy is named, and finds the server', (draft) => ({
    ...{
      server: url(draft, 'one', 'api.invalid'),
      'proxy-url': `http://me:it@127.0.0.1:${draft.ground.proxies.http.port}`,
    },
  })),
  put('a SOCKS proxy is named', (draft) => ({
    'proxy-url': `${pick(draft, ['socks5', 'socks5h'])}://127.0.0.1:${draft.ground.proxies.socks.port}`,
    ...pick(draft, [{}, { server: url(draft, 'one', 'api.invalid') }]),
  })),
  put('a proxy is named that is none', (draft) => ({
    'proxy-url': pick(draft, [
      '',
      null,
      'ftp://127.0.0.1:1',
      'http://127.0.0.1:1',
      '127.0.0.1:1',
      'http://',
      ' ',
      'no url',
      7,
    ]),
  })),
  {
    name: 'a proxy is in the environment',
    change: (draft) => {
      const host = pick(draft, ['api.invalid', 'api.invalid', '127.0.0.1', 'localhost'])
      cluster(draft).server = url(draft, 'one', host)
      const scheme = pick(draft, ['http://', '', 'http://me:it@'])
      draft.env[pick(draft, ['HTTPS_PROXY', 'https_proxy'])] = `${scheme}127.0.0.1:${draft.ground.proxies.http.port}`
      draft.env[pick(draft, ['NO_PROXY', 'no_proxy'])] = pick(draft, [
        '',
        'other',
        '.invalid',
        'invalid',
        '*',
        '10.0.0.0/8',
      ])
    },
  },
]

const MORE: readonly Twist[] = [
  put('the cluster has fields that are not used', (draft) => ({
    ...pick<Readonly<Record<string, unknown>>>(draft, [
      { 'disable-compression': true },
      { 'disable-compression': 'yes' },
      { extensions: [{ name: 'e', extension: { a: 1 } }] },
      { extensions: null },
      { nonsense: [1] },
    ]),
  })),
  {
    name: 'the cluster is nothing',
    change: (draft) => {
      const document = anyDocument(draft)
      document.clusters = pick<unknown>(draft, [
        ...[null, undefined, [], {}, 'c1', [null], [{ name: 'c1' }]],
        ...[[{ name: 'c1', cluster: null }], [{ name: 'c1', cluster: 'x' }], [{ cluster: cluster(draft) }]],
      ])
    },
  },
]

export const CLUSTER_TWISTS: readonly Twist[] = [...SERVERS, ...AUTHORITIES, ...NAMES, ...PROXIES, ...MORE]
