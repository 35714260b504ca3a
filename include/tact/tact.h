/**
 * @file
 * All of Tact in one include.
 */
#ifndef TACT_TACT_H
#define TACT_TACT_H

#include <tact/advance.h>
#include <tact/allocator.h>
#include <tact/animation.h>
#include <tact/ccd.h>
#include <tact/export.h>
#include <tact/mass.h>
#include <tact/math.h>
#include <tact/mesh.h>
#include <tact/motion.h>
#include <tact/motion_plan.h>
#include <tact/nurbs.h>
#include <tact/parallel.h>
#include <tact/predicates.h>
#include <tact/progress.h>
#include <tact/query.h>
#include <tact/record.h>
#include <tact/rigid.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/step.h>
#include <tact/transform.h>
#include <tact/vec.h>
#include <tact/version.h>
#include <tact/world.h>

#endif
