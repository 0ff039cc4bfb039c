import { parseAllDocuments, type Tags } from 'yaml'

/**
 * The first document of a YAML or JSON text, as Kubernetes reads it: YAML 1.1 without its dates and its numbers to the base of 60, of
 * a field that is written twice the second one, further documents unread. Undefined: the text says nothing. Throws YAMLParseError,
 * whose message has line and column, and TypeError where the bytes are no text.
 */
export function parseKubeYaml(bytes: Buffer): unknown {
  const text = textOf(bytes)
  if (NOT_PRINTABLE.test(text)) throw new TypeError('it has a control character')
  // A line may end in CR alone.
  const [first] = parseAllDocuments(text.replaceAll(/\r\n?/g, '\n'), {
    version: '1.1',
    uniqueKeys: false,
    customTags: asGo,
  })
  if (first === undefined || !('contents' in first)) return undefined
  const [error] = first.errors
  if (error !== undefined) throw error
  return first.toJS() ?? undefined
}

/** By its byte order mark. */
function textOf(bytes: Buffer): string {
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const encoding = isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  return new TextDecoder(encoding, { fatal: true }).decode(bytes)
}

/** YAML 1.1, 5.1. */
const NOT_PRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const UNKNOWN_TO_GO = ['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']

function asGo(tags: Tags): Tags {
  const known = tags.filter(
    (tag) =>
      typeof tag === 'string' || !(UNKNOWN_TO_GO.includes(tag.tag) || ('format' in tag && tag.format === 'TIME')),
  )
  const binary = {
    tag: 'tag:yaml.org,2002:binary',
    resolve: (text: string) => Buffer.from(text, 'base64').toString(),
  }
  return [...known, binary]
}
