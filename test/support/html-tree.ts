/** One element of a page that was written strictly. */
export interface HtmlElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (HtmlElement | string)[]
}

const VOID = new Set(['meta', 'input', 'br', 'img', 'link'])
const RAW = new Set(['script', 'style', 'title'])
const TAG = /<(?:!doctype html|(\/)?([a-z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][\w:-]*(?:="[^"<>]*")?)*)\s*(\/)?)>/y
const ATTRIBUTE = /([a-zA-Z][\w:-]*)(?:="([^"]*)")?/g

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#10': '\n' }

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|#10);/g, (_, name: string) => ENTITIES[name] ?? '')

/**
 * A parser that forgives nothing: every `<` begins a tag, every tag is closed in its order, attributes are quoted and
 * told once, and no `&` stands that is no entity of ours. What a browser would mend is an error here.
 */
export function htmlTree(page: string): HtmlElement {
  const root: HtmlElement = { tag: '', attributes: {}, children: [] }
  const open: HtmlElement[] = [root]
  const top = (): HtmlElement => open.at(-1) ?? root
  let at = 0
  while (at < page.length) {
    const next = page.indexOf('<', at)
    if (next < 0) break
    if (next > at) top().children.push(textOf(page.slice(at, next)))
    const { end, closes, closed, element } = tagAt(page, next)
    at = end
    if (closes) {
      const last = open.pop()
      if (last?.tag !== element.tag)
        throw new Error(`</${element.tag}> closes <${last?.tag}> before ${page.slice(at, at + 60)}`)
    } else if (element.tag !== '') {
      top().children.push(element)
      if (RAW.has(element.tag)) at = takeRaw(element, page, at)
      else if (!closed) open.push(element)
    }
  }
  if (open.length !== 1) throw new Error(`<${top().tag}> is not closed`)
  return root
}

function tagAt(page: string, at: number) {
  TAG.lastIndex = at
  const match = TAG.exec(page)
  if (match === null) throw new Error(`no tag: ${page.slice(at, at + 80)}`)
  const [, closes, tag = '', attributes = '', closed] = match
  const element: HtmlElement = { tag, attributes: attributesOf(attributes), children: [] }
  return { end: TAG.lastIndex, closes: closes !== undefined, closed: closed !== undefined || VOID.has(tag), element }
}

/** A script ends at the next thing that looks like its end, whatever stands before it. */
function takeRaw(element: HtmlElement, page: string, at: number): number {
  const end = page.indexOf(`</${element.tag}`, at)
  const text = page.slice(at, end)
  element.children.push(element.tag === 'title' ? textOf(text) : text)
  return page.indexOf('>', end) + 1
}

function textOf(text: string): string {
  if (/[>]|&(?!(amp|lt|gt|quot|#39|#10);)/.test(text)) throw new Error(`not escaped: ${text.slice(0, 80)}`)
  return unescaped(text)
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    if (name in found) throw new Error(`${name} stands twice in ${text}`)
    found[name] = unescaped(value)
  }
  return found
}

/** All elements below, in the order of the page. */
export const elementsOf = (element: HtmlElement): readonly HtmlElement[] =>
  element.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...elementsOf(child)]))

export const textIn = (element: HtmlElement): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('')
