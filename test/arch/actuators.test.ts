import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript'
import { repositoryFiles, root } from '../support/repository-files.ts'

/** Where the ways to move traffic are told apart: in the actuators, where a file says which there are, and where they are wired. */
const TOLD_APART = [
  // What speaks to each of them, and is chosen there, stands beside its rules.
  /^src\/service\/actuators\//,
  /^src\/roll\/file\//,
  /^bin\/roll\/open-balancers\.ts$/,
  // An effect is named, made and described for each kind that there is.
  /^src\/service\/model\/action\.ts$/,
  /^src\/roll\/run\/(perform|node-write|describe-action)\.ts$/,
]

/** The fields by which a reading and a balancer of the file differ, and the kinds of the effects. */
const FIELDS = new Map([
  ['endpoint', 'src/service/model/balancer.ts'],
  ['detacher', 'src/service/model/balancer.ts'],
  ['nodeCheck', 'src/service/model/balancer.ts'],
  ['status', 'src/service/model/balancer.ts'],
  ['via', 'src/service/model/balancer-spec.ts'],
])
const KINDS = new Set(['setServer', 'askAgent', 'askDetacher', 'setNodeMark'])

function programOf(files: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => readFileSync(path, 'utf8'))
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  return ts.createProgram(
    files.map((file) => `${root}${file}`),
    options,
  )
}

/** Every place in these files where it is asked which actuator one is. */
function questions(program: ts.Program, files: readonly string[]): readonly string[] {
  const checker = program.getTypeChecker()
  return files.flatMap((file) => {
    const source = program.getSourceFile(`${root}${file}`)
    assert.ok(source, file)
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      if (isQuestion(node, checker))
        found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
      ts.forEachChild(node, visit)
    }
    visit(source)
    return [...new Set(found)]
  })
}

function isQuestion(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isStringLiteralLike(node) && KINDS.has(node.text)) return true
  if (ts.isPropertyAccessExpression(node)) return isField(node.name.text, checker.getTypeAtLocation(node.expression))
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
    return isField(node.argumentExpression.text, checker.getTypeAtLocation(node.expression))
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.InKeyword &&
    ts.isStringLiteral(node.left)
  )
    return isField(node.left.text, checker.getTypeAtLocation(node.right))
  if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return false
  return isField((node.propertyName ?? node.name).getText(), checker.getTypeAtLocation(node.parent))
}

/** The field of that name, as the model declares it, and none of another thing that is called so. */
function isField(name: string, type: ts.Type): boolean {
  const home = FIELDS.get(name)
  if (home === undefined) return false
  const parts = type.isUnion() ? type.types : [type]
  return parts
    .flatMap((part) => part.getProperty(name)?.declarations ?? [])
    .some((declared) => declared.getSourceFile().fileName.endsWith(home))
}

test('outside of the actuators nobody asks which kind one is', () => {
  const files = repositoryFiles('ts').filter((file) => /^(src|bin)\//.test(file))
  const asking = files.filter((file) => !TOLD_APART.some((may) => may.test(file)))
  assert.deepEqual(questions(programOf(files), asking), [])
})

test('what one actuator is made of is imported by the actuators alone, and what speaks to it is wired in bin', () => {
  const importing = repositoryFiles('ts')
    .filter((file) => /^(src|bin)\//.test(file) && !file.startsWith('src/service/actuators/'))
    .filter((file) =>
      /from '[^']*\/actuators\/(?!actuator(-of)?\.ts'|([a-z]+\/)?io\/)/.test(readFileSync(`${root}${file}`, 'utf8')),
    )
  assert.deepEqual(importing, [])
})

test('who asks which kind of actuator one is, by whatever words, is found', () => {
  const file = 'test/arch/fixtures/kinds/asks-kind.ts'
  const lines = readFileSync(`${root}${file}`, 'utf8').split('\n')
  const asked = lines.flatMap((line, at) => (/^export const by/.test(line) ? [`${file}:${at + 1}`] : []))
  assert.equal(asked.length, 12)
  assert.deepEqual(questions(programOf([file]), [file]), asked)
})
