import ts from 'typescript'

/** A rule of the engine that can be taken away, found in its source. */
export interface CodeRule {
  /** The file below `src`, the name of the rule, and of a step which part. */
  readonly id: string
  readonly kind: 'guard' | 'step' | 'condition' | 'constant'
  readonly wraps: readonly Wrap[]
}

/** A part of the text, and what is put around it so that the rule can be switched off. */
interface Wrap {
  readonly from: number
  readonly to: number
  readonly before: string
  readonly after: string
}

type Away = readonly (readonly [type: RegExp, away: string])[]

/** What a function says where it has nothing against anything, by the type of its answer. */
const BY_ANSWER: Away = [
  [/^readonly (Reason|RuleState)\[\]$/, '[]'],
  [
    /^(Reason|Verdict|Hold|StepAnswer|NodeAnswer|HookAnswer|IngressDecision|BrakeDecision)(<.*>)? \| undefined$/,
    'undefined',
  ],
]

/** The same by the type of the function. */
const BY_TYPE: Away = [
  [/^Guard(<.*>)?$/, '[]'],
  [/^Rule$/, 'undefined'],
]

/** What the parts of a step answer where the step is not there. */
const PARTS_OF_STEP: Readonly<Record<string, string>> = { next: "{ kind: 'done' }", limit: 'undefined', remember: '{}' }
const IS_STEP = /^(Step|Machine)Rule(<.*>)?$/

/** Answers that hold a node up, refuse it or act on it: by the function that makes them, or by what they are. */
const HOLDS =
  /^(hold|holdWhere|act|wait|keptOut|notYet|refused|refuse)\(|^\{ (may: false|kind: '(hold|held|act|wait|waiting|blocked|refused)')/

/** A number that is a limit, and what is left of a limit that is not there: any amount, or no time at all. */
const IS_LIMIT = /_(MS|MAX|TRIES|AT_ONCE|SHARE|IN_A_ROW)$|^(TRIES|AT_ONCE)$|LIMIT/
const IS_UPPER = /LIMIT|MAX|TRIES|AT_ONCE|SHARE/
/** How many things a sentence names is none, nor how often is looked again. */
const IS_NONE =
  /^(NAMED|SAID|SHOWN|LENGTH|ADDRESS|COMMAND|TYPED|RELEASED|NODES|ADMITTED|GONE|REMEMBERED|COUNT|SECOND)_|RECHECK/

/** Every guard, part of a step, condition of a decision and limit in a file. `text`: its source. */
export function codeRules(file: string, text: string): readonly CodeRule[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: CodeRule[] = []
  const known = new Map<string, number>()
  const add = (kind: CodeRule['kind'], name: string, wraps: (id: string) => readonly Wrap[]): void => {
    const base = `${file.replace(/^src\//, '').replace(/\.ts$/, '')} ${name}`
    const times = (known.get(base) ?? 0) + 1
    known.set(base, times)
    const id = times === 1 ? base : `${base} (${times})`
    found.push({ id, kind, wraps: wraps(id) })
  }
  const visit = (node: ts.Node): void => {
    const away = awayOf(node)
    if (away !== undefined) add('guard', nameOf(node), (id) => aroundFunction(node, id, away))
    for (const [part, without] of partsOf(node)) {
      const name = `${nameOf(node)}.${part.name?.getText() ?? ''}`
      add('step', name, (id) => aroundFunction(part, id, without))
    }
    if (ts.isIfStatement(node) && isHold(node)) {
      const { expression } = node
      const name = `${nameOf(node)}: ${expression.getText().replace(/\s+/g, ' ')}`
      add('condition', name, (id) => [around(expression, id, 'false')])
    }
    const limit = limitOf(node)
    const uses = limit === undefined ? [] : usesOf(limit, tree)
    if (limit !== undefined && uses.length > 0) {
      const without = IS_UPPER.test(limit.text) ? 'Number.POSITIVE_INFINITY' : '0'
      add('constant', limit.text, (id) => uses.map((use) => around(use, id, without)))
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** The source in which each of these rules can be switched off. `switchFile`: from where `ruled` is imported. */
export function withSwitches(text: string, rules: readonly CodeRule[], switchFile: string): string {
  const wraps = rules.flatMap((rule) => rule.wraps)
  const outermostFirst = wraps.toSorted((a, b) => a.from - b.from || b.to - a.to)
  const marks = outermostFirst.flatMap(({ from, to, before, after }, order) => [
    { at: from, isEnd: false, order, text: before },
    { at: to, isEnd: true, order: -order, text: after },
  ])
  const inOrder = marks.toSorted((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || a.order - b.order)
  let [made, done] = ['', 0]
  for (const mark of inOrder) {
    made += text.slice(done, mark.at) + mark.text
    done = mark.at
  }
  return `import { ruled } from ${JSON.stringify(switchFile)}\n${made}${text.slice(done)}`
}

/** Of a function or a constant that is a guard by its type. */
function awayOf(node: ts.Node): string | undefined {
  const [type, known] = ts.isVariableDeclaration(node) ? [node.type, BY_TYPE] : [returnTypeOf(node), BY_ANSWER]
  const text = type?.getText().replace(/\s+/g, ' ')
  return text === undefined ? undefined : known.find(([pattern]) => pattern.test(text))?.[1]
}

function returnTypeOf(node: ts.Node): ts.TypeNode | undefined {
  const isNamed = ts.isFunctionDeclaration(node) || (ts.isArrowFunction(node) && ts.isVariableDeclaration(node.parent))
  return isNamed && node.body !== undefined ? node.type : undefined
}

/** `next`, `limit` and `remember` of a step. */
function partsOf(node: ts.Node): readonly (readonly [part: ts.ObjectLiteralElementLike, away: string])[] {
  if (!ts.isObjectLiteralExpression(node)) return []
  const holder = node.parent
  const type = ts.isVariableDeclaration(holder) || ts.isArrowFunction(holder) ? holder.type : undefined
  const outer =
    ts.isParenthesizedExpression(holder) && ts.isArrowFunction(holder.parent) ? holder.parent.type : undefined
  if (!IS_STEP.test((type ?? outer)?.getText() ?? '')) return []
  return node.properties.flatMap((part) => {
    const away = PARTS_OF_STEP[part.name?.getText() ?? '']
    return away === undefined ? [] : [[part, away] as const]
  })
}

/** The function or constant in which a node is. */
function nameOf(node: ts.Node): string {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent)
    if (
      (ts.isFunctionDeclaration(at) || ts.isVariableDeclaration(at)) &&
      at.name !== undefined &&
      (ts.isFunctionDeclaration(at) || ts.isSourceFile(at.parent.parent.parent))
    )
      return at.name.getText()
  return ''
}

function isHold({ thenStatement, elseStatement }: ts.IfStatement): boolean {
  const last = ts.isBlock(thenStatement) ? thenStatement.statements.at(-1) : thenStatement
  return (
    elseStatement === undefined &&
    last !== undefined &&
    ts.isReturnStatement(last) &&
    HOLDS.test(last.expression?.getText().replace(/\s+/g, ' ') ?? '')
  )
}

/** A number of the file that is a limit by its name. */
function limitOf(node: ts.Node): ts.Identifier | undefined {
  if (!ts.isVariableDeclaration(node) || !ts.isSourceFile(node.parent.parent.parent)) return undefined
  const { name, initializer } = node
  const isNumber = initializer !== undefined && /^[\d_.]+( [*+] [\d_.]+)*$/.test(initializer.getText())
  return isNumber && ts.isIdentifier(name) && IS_LIMIT.test(name.text) && !IS_NONE.test(name.text) ? name : undefined
}

/** Where a function of the file uses a constant. */
function usesOf(limit: ts.Identifier, tree: ts.SourceFile): readonly ts.Node[] {
  const uses: ts.Node[] = []
  const visit = (node: ts.Node, isInside: boolean): void => {
    if (ts.isTypeNode(node)) return
    if (isInside && ts.isIdentifier(node) && node.text === limit.text && !isName(node)) uses.push(node)
    ts.forEachChild(node, (child) => visit(child, isInside || ts.isFunctionLike(node)))
  }
  visit(tree, false)
  return uses
}

const isName = (node: ts.Identifier): boolean => ts.isPropertyAssignment(node.parent) && node.parent.name === node

const around = (node: ts.Node, id: string, away: string): Wrap => ({
  from: node.getStart(),
  to: node.end,
  before: `ruled(${JSON.stringify(id)}, ${away}, () => (`,
  after: '))',
})

/** Around the body of a function, or around what is called as one. */
function aroundFunction(node: ts.Node, id: string, away: string): readonly Wrap[] {
  const made = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) ? node.initializer : node
  if (made === undefined) return []
  if (!ts.isFunctionLike(made) || !('body' in made) || made.body === undefined)
    return ts.isExpression(made)
      ? [
          {
            from: made.getStart(),
            to: made.end,
            before: `(...given) => ruled(${JSON.stringify(id)}, ${away}, () => (`,
            after: ')(...given))',
          },
        ]
      : []
  const { body } = made
  if (!ts.isBlock(body)) return [around(body, id, away)]
  const [before, after] = [`{ return ruled(${JSON.stringify(id)}, ${away}, () => `, ') }']
  return [{ from: body.getStart(), to: body.end, before, after }]
}
