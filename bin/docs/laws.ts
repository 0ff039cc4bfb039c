import ts from 'typescript'

/** `path` is from the root of the repository. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

interface LawTest {
  readonly file: string
  readonly law: string
  /** What the test shows of the law; absent where the title is only the law. A placeholder reads `{name}`, or `…`. */
  readonly shows?: string
}

export interface Law {
  readonly law: string
  /** One path, unless two modules state the same law. */
  readonly modules: readonly string[]
  readonly tests: readonly LawTest[]
}

export interface Laws {
  readonly laws: readonly Law[]
  /** Tests that name a law which no module states. */
  readonly unstated: readonly LawTest[]
}

/** Laws as the modules state them, in the order of the modules' paths, each with the tests that name it. */
export function lawsOf(modules: readonly SourceFile[], tests: readonly SourceFile[]): Laws {
  const stated = new Map<string, string[]>()
  for (const { path, text } of modules)
    for (const law of lawsIn(text)) stated.set(law, [...(stated.get(law) ?? []), path])
  const named = tests.flatMap(({ path, text }) => lawTitlesIn(text).map((title) => lawTest(path, title)))
  return {
    laws: [...stated].map(([law, paths]) => ({
      law,
      modules: paths,
      tests: named.filter((test) => test.law === law),
    })),
    unstated: named.filter(({ law }) => !stated.has(law)),
  }
}

/**
 * In doc comments, at the beginning of a line: `Law: no retry is immediate.` The sentence ends with the first full stop, and
 * may go on in the next line. Throws for one that has none, or a semicolon: that ends the law in the title of a test.
 */
export function lawsIn(text: string): readonly string[] {
  const comments = text.match(/\/\*\*(?!\/)[\s\S]*?\*\//g) ?? []
  return comments.map(withoutStars).flatMap((comment) =>
    [...comment.matchAll(/^Law: ([\s\S]*?)(\.(?=\s|$)|$(?![\s\S]))/gm)].map(([, words = '', stop]) => {
      const law = words.replaceAll(/\s+/g, ' ')
      if (stop === '' || law.includes(';')) throw new Error(`a law is one sentence without a semicolon: ${law}`)
      return law
    }),
  )
}

const withoutStars = (comment: string): string =>
  comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd())
    .join('\n')
    .trim()

/** Titles of tests that begin with `law: `. */
export function lawTitlesIn(text: string): readonly string[] {
  if (!text.includes('law: ')) return []
  const titles: string[] = []
  const visit = (node: ts.Node): void => {
    const [first] = ts.isCallExpression(node) ? node.arguments : []
    const title = first === undefined ? undefined : literalText(first)
    if (title?.startsWith('law: ') === true) titles.push(title)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest))
  return titles
}

function literalText(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  const filledIn = (what: ts.Expression): string => (ts.isIdentifier(what) ? `{${what.text}}` : '…')
  return node.head.text + node.templateSpans.map((span) => filledIn(span.expression) + span.literal.text).join('')
}

function lawTest(file: string, title: string): LawTest {
  const words = title.slice('law: '.length)
  const at = words.indexOf('; ')
  return at < 0 ? { file, law: words } : { file, law: words.slice(0, at), shows: words.slice(at + 2) }
}
