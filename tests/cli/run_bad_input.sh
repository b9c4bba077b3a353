#!/usr/bin/env bash
# Bad input to scree-run: one line, exit code 2, nothing written.
. "$(dirname "$0")/common.sh"

cat >good.yaml <<'YAML'
materials:
  glass: {density: 2500, friction: 0.3}
walls:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
fills:
  - {region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, radius: 0.05, count: 50}
time: {step: 0.005, steps: 5}
YAML

# with FROM TO: a copy of the good scene in bad.yaml with a change.
with() {
  awk -v from="$1" -v to="$2" '{
    at = index($0, from)
    print at ? substr($0, 1, at - 1) to substr($0, at + length(from)) : $0
  }' good.yaml >bad.yaml
}

run scree-run missing.yaml
expect_error 2 "missing.yaml: no such file"
run scree-run
expect_error 2 "SCENE is required"
run scree-run good.yaml --nosuch
expect_error 2 "--nosuch"
run scree-run good.yaml more.yaml
expect_error 2 "more.yaml"
run scree-run good.yaml --out
expect_error 2 "--out"

with 'radius: 0.05' 'radius: [0.05'
run scree-run bad.yaml
expect_error 2 "malformed YAML"
with 'friction:' 'fricton:'
run scree-run bad.yaml
expect_error 2 "bad.yaml:2: materials.glass.fricton: unknown key, the nearest known key is 'friction'"
with 'radius: 0.05' 'radius: -0.05'
run scree-run bad.yaml
expect_error 2 "bad.yaml:6: fills[0].radius: must be positive, is -0.05"
with 'radius: 0.05' 'radius: 0.05, mass: -1'
run scree-run bad.yaml
expect_error 2 "fills[0].mass: must be positive, is -1"
with 'density: 2500' 'density: .nan'
run scree-run bad.yaml
expect_error 2 "bad.yaml:2: materials.glass.density: must be finite"
with 'fills:' '  - {name: lid, plane: {point: [0, 0, -1], normal: [0, 0, -1]}}
fills:'
run scree-run bad.yaml
expect_error 2 "bad.yaml:5: walls[1]: walls 'floor' and 'lid' leave no room between them"
with 'fills:' '  - {container: {lower: [0, 0, 0], upper: [1, 0, 1]}}
fills:'
run scree-run bad.yaml
expect_error 2 "leaves no room"
with 'count: 50' 'count: 5000'
run scree-run bad.yaml
expect_error 2 "asks for 5000 bodies, but only 1044 fit"
with 'fills:' '  - {mesh: {file: missing.stl}}
fills:'
run scree-run bad.yaml
expect_error 2 "bad.yaml:5: walls[1].mesh.file: missing.stl: no such file"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n' >open.obj
with 'fills:' '  - {mesh: {file: open.obj}}
fills:'
run scree-run bad.yaml
expect_error 2 "bad.yaml:5: walls[1].mesh.file: open.obj:4: '4' is none of the 3 vertices before"
with 'time:' 'bodies: [{radius: 0.1, position: [3, 0, 1], mass: 2, motion: {velocity: [1, 0, 0]}}]
time:'
run scree-run bad.yaml
expect_error 2 "bad.yaml:7: bodies[0].mass: a body with a 'motion' moves whatever touches it: leave this out"

# Sources, sinks, forces, files and measurements: add TEXT appends lines to the good scene.
add() {
  { cat good.yaml && printf '%s\n' "$1"; } >bad.yaml
  run scree-run bad.yaml
}
region='region: {box: {lower: [0, 0, 1], upper: [1, 1, 2]}}'
add "sources: [{$region, radius: 0.05}]"
expect_error 2 "bad.yaml:8: sources[0]: needs one of rate, mass_rate, has none"
add "sources: [{$region, radius: 0.05, rate: 1, mass_rate: 1}]"
expect_error 2 "sources[0]: needs one of rate, mass_rate, has rate and mass_rate"
add "sources: [{$region, radius: 0.05, rate: 0}]"
expect_error 2 "sources[0].rate: must be positive, is 0"
add "sources: [{$region, radius: 0.05, rate: 1, start: 2, end: 1}]"
expect_error 2 "sources[0].end: must come after 'start'"
add "sources: [{$region, radius: 0.6, rate: 1}]"
expect_error 2 "sources[0].region: has no room for the largest body"
add "sources: [{region: {box: {lower: [0, 0, -1], upper: [1, 1, 2]}}, radius: 0.05, rate: 1}]"
expect_error 2 "sources[0].region: reaches 1 m behind the wall 'floor'"
add "sinks: [{name: drain}]"
expect_error 2 "sinks[0]: needs one of inside, outside, behind, has none"
add "sinks: [{inside: {lower: [0, 0, 0], upper: [1, 0, 1]}}]"
expect_error 2 "sinks[0].inside: 'lower' must be below 'upper' in x, y and z"
add "bodies: [{position: [0, 0, 3], radius: 0.1, force: [1, 2]}]"
expect_error 2 "bodies[0].force: must be a list of three numbers"
add "drag: {linear: -1}"
expect_error 2 "drag.linear: must not be negative, is -1"
add "measurements: [{name: a, every: 0, state: [bodies]}]"
expect_error 2 "measurements[0].every: must be at least 1, is 0"
add "measurements: [{name: a, every: 1, state: [energy]}]"
expect_error 2 "measurements[0].state[0]: must be one of"
add "measurements: [{name: a/b, every: 1, state: [bodies]}]"
expect_error 2 "measurements[0].name: names a file"
add "measurements: [{name: a, every: 1, force: [lid]}]"
expect_error 2 "measurements[0].force[0]: no body and no wall has the name 'lid'"
add "measurements: [{name: a, every: 1, profile: {axis: x, lower: 1, upper: 0, bins: 3}}]"
expect_error 2 "measurements[0].profile: 'lower' must be below 'upper'"
with 'count: 50' 'count: 50, lattice: random, jitter: 0.1'
run scree-run bad.yaml
expect_error 2 "fills[0].jitter: random places are not shifted"
with 'count: 50' 'count: 700, lattice: random'
run scree-run bad.yaml
expect_error 2 "asks for 700 bodies, but at random no more than 684 have room"
with 'count: 50' 'count: 680, lattice: random'
run scree-run bad.yaml
expect_error 2 "bad.yaml: fills[0].count: asks for 680 bodies at random, but only"
with 'count: 50' 'count: 50, file: grains.csv'
run scree-run bad.yaml
expect_error 2 "fills[0].region: the bodies are in a 'file'"
with '- {region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, radius: 0.05, count: 50}' '- {file: grains.csv}'
run scree-run bad.yaml
expect_error 2 "grains.csv: no such file"
with '- {region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, radius: 0.05, count: 50}' '- {file: regular-file}'
printf 'x,y,z,radius\n0,0,1,0.1\n0,0,2,wide\n' >regular-file
run scree-run bad.yaml
expect_error 2 "regular-file:3: radius: must be a number, is 'wide'"

printf 'x,y,z,radius\n0,0,1,0.1\n0,0,3,0.1\n0,0.15,1,0.1\n' >regular-file
run scree-run bad.yaml
expect_error 2 "bad.yaml: fills: bodies number 0 and 2 overlap by 0.05 m: move one of them, or set contact.push_apart"
add "bodies: [{name: k, position: [0, 0, 5], radius: 0.1, motion: {}}]
joints: [{kind: ball, bodies: [k], anchor: [0, 0, 5]}]"
expect_error 2 "joints[0].bodies[0]: there is no body of the name 'k': give it to an entry of 'bodies' without a 'motion'"
add "bodies: [{position: [0, 0, 5], radius: 0.1, motion: {}}, {position: [0, 0.1, 5], radius: 0.1}]"
expect_error 2 "bad.yaml: bodies: number 50 starts 0.1 m inside the wall 'bodies[0]': move it, or set contact.push_apart"
add "bodies: [{position: [0, 0, 5], radius: 0.1}]
joints: [{kind: ball, bodies: [0, 0], anchor: [0, 0, 5]}]"
expect_error 2 "joints[0].bodies: names the same body twice: a joint needs two"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj
add "shapes: {s: {hull: {file: open.obj}, solid: {file: open.obj}}}
bodies: [{shape: s, position: [0, 0, 5]}]"
expect_error 2 "shapes.s.solid.file: open.obj:6: the triangle has an open edge from (1, 0, 0) to (0, 0, 1)"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >open.obj
add "shapes: {s: {hull: {file: open.obj}, solid: {file: open.obj}}}
bodies: [{shape: s, position: [0, 0, 5]}]"
expect_error 2 "bad.yaml:8: shapes.s.solid.file: open.obj:5: the triangle is turned inwards, as all are: reverse the order"
add "shapes: {s: {hull: {points: [[0, 0, 0], [1, 0, 0.5], [0, 1, 0.25], [1, 1, 0.75]]}}}"
expect_error 2 "bad.yaml:8: shapes.s: shape 's': the points of the hull lie in a plane: add points outside it"
add "shapes: {s: {box: {size: [1, 1, 0]}}}"
expect_error 2 "bad.yaml:8: shapes.s.box.size: must be three positive edges: a box needs a thickness"
add "shapes: {s: {box: {size: [1, 1, 1]}}}
bodies: [{shape: s, position: [0, 0, 5]}, {shape: s, position: [0.9, 0, 5]}]"
expect_error 2 "bad.yaml: bodies: number 50 overlaps number 51 by 0.1 m: move it, or set contact.push_apart"
add "bodies: [{position: [0, 0, 5], radius: 0.1, inertia: [1, 1, 3]}]"
expect_error 2 "bad.yaml:8: bodies[0].inertia: no body has a moment larger than the other two together: make it smaller"

touch regular-file
run scree-run good.yaml --out regular-file/results
expect_error 2 "regular-file/results: cannot be made"
run scree-run good.yaml --out results --json regular-file/run.json
expect_error 2 "regular-file is not a directory"
run scree-run good.yaml --out results --json .
expect_error 2 ".: is a directory"
run scree-run good.yaml --solver nosuch
expect_error 2 "the solvers are: auto, npgs, pgs, nsgs, sor, adaptive-bounds, jacobi, gpminres, gpminres-p, apgd, spg, kucera, pgd, cpg, cpg1, pivot, lemke, enumerate, newton, gs-newton, multigrid, proximal, ipm, tresca, de-saxce"
run scree-run good.yaml --solver kucera --set solver.law=cone
expect_error 2 "cannot take the law 'cone'"
run scree-run good.yaml --set solver.options.nosuch=1
expect_error 2 "has no option 'nosuch'"
run scree-run good.yaml --steps -3
expect_error 2 "--steps -3: time.steps: must be at least 0, is -3"
run scree-run good.yaml --steps many
expect_error 2 "--steps many"
run scree-run good.yaml --tolerance nan
expect_error 2 "--tolerance nan"
run scree-run good.yaml --max-iterations 0
expect_error 2 "solver.max_iterations: must be at least 1"
run scree-run good.yaml --set fills[0].radus=1
expect_error 2 "nearest known key is 'radius'"
run scree-run good.yaml --set nonsense
expect_error 2 "must be key.path=value"

finish
