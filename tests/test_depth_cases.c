/*
 * Penetration depth in cases that were once wrong, each number as it was: the depth is what an independent search in
 * long double found, the normal separates by it, the points are on the shapes and that far apart, and a turn of both
 * changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "core/random.h"
#include "math/vec.h"

#define MOST_POINTS 12

/* A shape in numbers; `custom`: told to the library by its support function alone. */
typedef struct told {
    tact_shape_type type;
    bool custom;
    double radius, height, margin;
    tact_vec3 size;
    int count;
    tact_vec3 points[MOST_POINTS];
    tact_placement at;
} told;

typedef struct story {
    const char *what;
    told a, b;
    double depth;
} story;

/* clang-format off */
static const story stories[] = {
    {"point and cylinder: GJK's normal lay along its points, not along its proof, and left 5e-7 of overlap in a flake of size 7",
     {.type = TACT_POINT, .margin = 0x1.55fc7f761c4bp-6, .count = 1, .points = {{0x1.68cd331cb192p-2, -0x1.1a1e979e7ca94p-3, 0x1.3751ca568be44p-3}}, .at = {{0x1.edd4db8491be6p-1, -0x1.0856dd68e342dp+0, 0x1.85234371f4a41p+1}, {-0x1.545f23f77be42p-3, -0x1.580b75a8f6338p+0, -0x1.9d6c2eff6798dp-2}, {0x1.1946e6218365p+0, -0x1.cf3326fc48067p-6, -0x1.6ec8d96a8721ap-2}, {0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_CYLINDER, .radius = 0x1.4175c94149295p-3, .height = 0x1.e76ce80cf2401p-3, .at = {{0x1.4fb48e2dbdd35p-15, -0x1.6764f0ab5297p-15, 0x1.0888e7935853bp-13}, {-0x1.c71262ad3575p+1, -0x1.cbfb93ff0e34ap+4, -0x1.145eb36846559p+3}, {0x1.cbb147c1806adp+4, -0x1.7a8149bd6d04dp-1, -0x1.2bb8131ddf95cp+3}, {0x1.8104ff09ff72cp+0, -0x1.d4881ce30e8dep+1, -0x1.aa1ac8a31ab0bp-2}}},
     4.094354585595537e-12},
    {"sphere and polygon: the same, a two-thousandth of the depth",
     {.type = TACT_SPHERE, .radius = 0x1.be4d4c5934e34p-1, .margin = 0x1.892482fd011bfp+8, .at = {{0x1.0b8d883333618p+17, -0x1.959fb5a7e8b1cp+16, 0x1.f6b502e1b5ddbp+13}, {-0x1.4f49b6ccb1d07p+16, -0x1.7464f3feb64d3p+16, 0x1.c35b0e5353b8bp+16}, {0x1.76f845683429ap-3, 0x1.34511d61250cfp-2, 0x1.89a6ce63a17c8p-2}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_POLYGON, .margin = 0x1.1742da96508dp-1, .count = 8, .points = {{0x1.77bfb9a3cba5p-1, 0x1.9f2eaff3d65fep-4, 0x1.9b0e412b07aa6p-2}, {0x1.779fc81a1e92cp-3, 0x1.97f55c3f15e83p-2, 0x1.e3247f6330a2p-5}, {0x1.5450333ec390ep-2, 0x1.56d6184fd8124p-1, 0x1.bff7fbb9c398dp-2}, {0x1.ecd02e0a95ec6p-3, 0x1.e164a6d9e3b05p-4, -0x1.bd2e49098018cp-4}, {0x1.59fc60cec5d56p-1, 0x1.70f02ca607b3fp-2, 0x1.19be70a6c24ap-1}, {0x1.b7a086e43fa7ap-3, 0x1.89ad62db025fap-3, -0x1.354164cc995a8p-4}, {0x1.f937ec7c50f6bp-2, 0x1.3c67f85a2d953p-1, 0x1.21f642a29a25ap-1}, {0x1.d88f893737222p-3, 0x1.259560571aef2p-3, -0x1.9225e991448cp-4}}, .at = {{-0x1.6740a8b6ec4a3p+1, -0x1.5ec2a28233272p-2, -0x1.79b0917378fbbp+0}, {0x1.8071865df11f8p-2, -0x1.956087c1ed9a9p+1, 0x1.598036edf7a81p-6}, {-0x1.77a299f852346p+0, -0x1.3dae4c57b4a2p-3, 0x1.69e87ceeb1d87p+1}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     393.2378485145963},
    {"cone and ellipsoid: the same",
     {.type = TACT_CONE, .radius = 0x1.7fdb0c9d57df9p-2, .height = 0x1.19179207fdbbbp-2, .at = {{-0x1.4cd66a643de17p+5, 0x1.6ed1212dbeb1dp+5, -0x1.5aa11dc8230f5p+0}, {0x1.20207e66f7f3bp-7, 0x1.3ab2ff3a3dec4p-7, 0x1.c2ea1f31a1443p-5}, {0x1.66cdd0654e56fp+5, 0x1.4236cffd15e95p+5, -0x1.c625b3c4a3882p+3}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_ELLIPSOID, .margin = 0x1.7c41b1a6ac2c5p-7, .size = {0x0p+0, 0x1.902294615a83ep-2, 0x1.6e59a43036899p-1}, .at = {{-0x1.189929e4cd1bfp+2, -0x1.4026940382208p+0, 0x1.6dc7dfe542319p+2}, {0x1.57bd560b63e5dp+2, 0x1.f8c095c4df244p+0, 0x1.234d39d375199p+2}, {-0x1.28f2f52f536f2p+1, 0x1.bb678c6be37dcp+2, -0x1.0e00f3f4cca4dp-2}, {0x1.76d81971ca9a9p+4, -0x1.979759bd73a29p+1, -0x1.cb2e9ba44a3a9p-1}}},
     2.0112797432386447e-05},
    {"polygon and cone: the same",
     {.type = TACT_POLYGON, .count = 9, .points = {{-0x1.1b14c6f915031p-1, 0x1.c732825c8e91ep-2, -0x1.77126ee6bc32bp-1}, {-0x1.191c1458b0659p-1, 0x1.aed25f8ced8a4p-2, -0x1.7d26e78769885p-1}, {-0x1.a997a599d44fbp-2, -0x1.b6e7224d1394p-2, -0x1.611bb66a69bep-7}, {-0x1.00d59159519fep-1, 0x1.a1b77ebc4ee2p-4, 0x1.3ac436f47cab4p-2}, {-0x1.ab9004ee9aee1p-2, -0x1.ac6abd45bcc0ap-2, 0x1.28dc114d23b08p-4}, {-0x1.11fff0eaacbdfp-1, 0x1.568958e8b1108p-2, -0x1.8a41aee85cfa1p-1}, {-0x1.23976a0b4f7b2p-1, 0x1.11bd8356b5475p-1, -0x1.73a709f967d8ep-4}, {-0x1.29c92d9090234p-1, 0x1.3bbd7d4aba9ccp-1, -0x1.911d668751b88p-2}, {-0x1.b2c770c80d64p-2, -0x1.77238bfad158cp-2, -0x1.3487df60dc12cp-2}}, .at = {{-0x1.12fb0b520f66bp-4, 0x1.ced0e6dffc6cdp-5, 0x1.d14a64cd295f7p-9}, {0x1.926df1dee1a4cp-21, 0x1.ba40f105c3d62p-21, 0x1.1e135f941fa0dp-20}, {-0x1.306d99459a07cp-5, -0x1.8a5b8f04f79fp-5, 0x1.037961b037ad5p-4}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.3f75a0d201b96p-1, .height = 0x1.01f2b7d677123p-1, .margin = 0x1.9ee578d08c058p+5, .at = {{0x1.ba000b8bfdb23p+6, -0x1.9177d272500c9p+8, 0x1.37042dd930b31p+9}, {0x1.27067d401b8dcp-3, 0x1.28ff5ed18934ap-2, 0x1.4af68148b8bebp-3}, {-0x1.52deebf691eddp+9, 0x1.8c7e0edb184fep+7, 0x1.f0b1b4b1e6d6p+7}, {-0x1.7e9636f44bb6bp+8, 0x1.04b17bdf70f9fp+7, -0x1.1e09f37a32c6ep+3}}},
     2.6322610982808248e-06},
    {"cylinder and hull: points were slid along the surface only as far as a part of the distance from touching",
     {.type = TACT_CYLINDER, .radius = 0x1.5a4e1e74b28a6p-3, .height = 0x1.e27e75ce00318p-4, .at = {{-0x1.2f9aa02004593p-25, -0x1.0de2bab8cb662p-24, -0x1.3aaed4c2a1b51p-29}, {0x1.c290fcb8d0ebep-26, -0x1.261aaf4d794ap-26, 0x1.171401a653182p-24}, {0x1.85da46f169482p-12, -0x1.a707ff44d7d87p-13, -0x1.aa2826b970549p-13}, {0x1.b4c1b6b591b37p-11, -0x1.12fb56a1ed159p-10, 0x1.4382307b03c58p-14}}},
     {.type = TACT_HULL, .margin = 0x1.2d0ed309b3bcbp-14, .count = 10, .points = {{-0x1.f27f7874882c8p-2, 0x1.4bf951be13a1p-4, -0x1.7a23f2204f34cp-3}, {-0x1.eaa89cfa57008p-2, 0x1.99c3f856b40f4p-3, 0x1.2dd5c48efd144p-3}, {0x1.e157af4e49d38p-3, 0x1.91d73f2d9d722p-2, -0x1.7b30594b2e74p-7}, {-0x1.ef9d33be27438p-2, -0x1.fefbda8accff4p-2, 0x1.63b0829179c1ap-2}, {0x1.fe2d2341f318p-2, 0x1.fb990b735b2bep-2, -0x1.5fb57018800f8p-2}, {-0x1.11a3ccb9861bp-3, -0x1.b3bae907ccadcp-3, 0x1.8600b58b08f8ap-2}, {0x1.c42c3a9950eccp-2, 0x1.d40946ae5477p-3, 0x1.b6718157db3aep-2}, {0x1.469e55fcac744p-3, -0x1.ef21575aab35p-4, 0x1.aea09605cb9fcp-3}, {0x1.2842c65b6da2cp-3, 0x1.e693882b4034p-7, -0x1.2537101b04b18p-4}, {-0x1.6e5a403b180c8p-3, 0x1.10b954a3403eap-2, -0x1.5c2020d1a8f6p-5}}, .at = {{0x1.2fa951e1bbd24p-11, 0x1.fdfea1b15b515p-14, 0x1.06187d93b9df2p-10}, {-0x1.28b7dab6bf7b3p-18, 0x1.58503c35aed42p-11, -0x1.443ed39d41f11p-14}, {0x1.7eeb542fb25dbp-12, -0x1.7339dd5c2c892p-16, -0x1.b600ca37b753fp-13}, {0x1.4cff96c389686p-11, -0x1.2bb044566b8f1p-10, -0x1.286b47259d477p-12}}},
     1.9978003815783949e-10},
    {"hull and cone: the same",
     {.type = TACT_HULL, .margin = 0x1.bdc2e2ef4e8e2p-11, .count = 11, .points = {{-0x1.3abbf6dce9be6p-2, -0x1.9be69004e52a2p-4, 0x1.867d73c4cbaecp-2}, {-0x1.3932c58b1afdcp-2, -0x1.94cdd66b2050cp-2, -0x1.b2a4870d09ebcp-7}, {-0x1.802ba88ee51ffp-2, -0x1.f9aa43d25c8d9p-3, -0x1.c208c203b3664p-3}, {-0x1.b8e8234b61e5ep-3, 0x1.c13792cb8f4a9p-2, 0x1.b18efbff376bap-4}, {-0x1.9c1ee2fe66e5ap-3, 0x1.64055ddf4c916p-2, -0x1.30d90d1e4895cp-2}, {0x1.4ab9fb5e512ccp-2, 0x1.86b781d80d256p-2, 0x1.46e2c218f3ad1p-7}, {0x1.e1e124da8329ap-3, -0x1.7de8c0cb2e095p-2, -0x1.e2a60941adec9p-3}, {-0x1.7bfb63caaf32bp-3, -0x1.4fc0a00de2cfcp-2, -0x1.50a0814dd32b9p-2}, {-0x1.2fcbaf3c805bdp-7, -0x1.2a9c75a0922p-2, 0x1.9fcb721399076p-2}, {-0x1.49f3639b75f95p-2, -0x1.1d7312a5b13e5p-2, -0x1.0bf230fc9d922p-2}, {-0x1.5bb9027c6fb7cp-2, -0x1.b97bfbdc981e3p-3, 0x1.3025d03527281p-2}}, .at = {{-0x1.0b065075e404fp-2, 0x1.afc58411f76efp-3, -0x1.3986e291c826dp-6}, {0x1.8ef28e913aa4cp-4, 0x1.7b0021406234p-4, -0x1.3b3a0069948e1p-2}, {-0x1.80eea6442ba5dp-3, -0x1.f4d564d86d0c6p-3, -0x1.1054bf3d32d3ap-3}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.6b479ec38b815p-2, .height = 0x1.540f15269697cp-2, .at = {{0x1.256c87d67e3dep-2, 0x1.f5b9579bd1556p-3, 0x1.1d784ccf18494p-6}, {0x1.edb4a6478ef5p-3, -0x1.10a5efbb11068p-2, -0x1.05cc566f6eed4p-3}, {-0x1.90ed1f1b39168p-5, -0x1.701770121877cp-6, -0x1.ef11c37d50921p-4}, {0x1.7e7a1e40f0cdfp-3, -0x1.2b24bdf104539p-4, 0x1.14a22355e7a82p-3}}},
     6.1235808284890874e-10},
    {"cone and point: near an apex Newton's method was not begun before 40,000 facets were used up",
     {.type = TACT_CONE, .radius = 0x1.041dc6da3e687p-2, .height = 0x1.0feffabc1d1cdp-1, .at = {{0x1.740998ea7d57ap+8, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.740998ea7d57ap+8, 0x0p+0}, {-0x0p+0, -0x0p+0, -0x1.740998ea7d57ap+8}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_POINT, .count = 1, .points = {{0x1.8c03262c9014cp-3, 0x1.f2a50bcf28d5p-5, -0x1.8c9e4d57c1c08p-4}}, .at = {{0x1.568a7b0782b93p+6, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.568a7b0782b93p+6, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.568a7b0782b93p+6}, {-0x1.08f136819f137p+4, 0x1.765937701e931p+6, 0x1.095903a250152p+3}}},
     1.5785612046032587e-06},
    {"ellipsoid and custom: where the value curves down, Newton's method did not go downhill",
     {.type = TACT_ELLIPSOID, .size = {0x1.e9c0144563b41p-1, 0x0p+0, 0x1.c908a64d18226p-3}, .at = {{0x1.73b7b9e514db1p-5, 0x1.13b96b3859862p-4, -0x1.5937d2fcb2a98p-1}, {0x1.e3f891d1c860fp-4, 0x1.5449ba8121888p-1, 0x1.305b552ad9d5bp-4}, {0x1.559e79de987e8p-1, -0x1.f4d61bd5897d3p-4, 0x1.0bd6a10808cb5p-5}, {-0x1.457969a81fbfbp+10, 0x1.1fffcd6a21dbep+8, 0x1.62b7be02d7889p+11}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.2c52b43b5d145p-1, .at = {{0x1.6a7e95c266046p+5, 0x1.0ce206740e14bp+6, -0x1.50a70205d08ffp+9}, {0x1.d7f665fe22d3bp+6, 0x1.4bd83a56cddc6p+9, 0x1.28ce10f9e38eep+6}, {0x1.4d248548e10a8p+9, -0x1.e868cf1c1dd75p+6, 0x1.05315390c7907p+5}, {-0x1.457969a81fbfbp+10, 0x1.1fffcd6a21dbep+8, 0x1.62b7be02d7889p+11}}},
     397.7919674330515},
    {"tetrahedron and custom: a small body in the middle of a round one: the nearest minimum was not the least",
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{0x1.23b7e8e9892cp-5, -0x1.e361058700c8p-8, 0x1.9c2782c96a0cp-4}, {0x1.549a4813c710cp-2, -0x1.d8dca33b8a83p-4, 0x1.a6d352d84e4c8p-3}, {-0x1.7c0535a1ce96p-2, -0x1.fcede813e31dp-5, -0x1.0bdc7800d6e2ep-2}, {-0x1.dc7457e6f71d2p-2, -0x1.b7c5cfffd0eep-5, -0x1.cb266e3ea4a98p-2}}, .at = {{-0x1.3c81e7abf8bdbp-1, 0x1.b01e7341bfad2p+0, 0x1.a36fec11639d2p+2}, {0x1.77b3736bffbe8p+0, -0x1.990560ab511c9p+2, 0x1.c8d369aea80e5p+0}, {0x1.a6d1b3d06c8a8p+2, 0x1.93dfc48c38e6fp+0, 0x1.bc113936edd1cp-3}, {0x1.071317454544cp+13, -0x1.6582592975ea8p+13, -0x1.b690a677b0cd2p+11}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.02c9bdafb1916p-3, .at = {{-0x1.860817c030eep+12, 0x1.9d929ae4cbf96p+11, -0x1.6086c204b9d9p+12}, {-0x1.54513d0a91884p+12, 0x1.a61132a614442p+10, 0x1.b66b08372876ap+12}, {0x1.c4a280ce13533p+11, 0x1.01850f9700c06p+13, 0x1.9dbfe129946dcp+9}, {0x1.071317454544cp+13, -0x1.6582592975ea8p+13, -0x1.b690a677b0cd2p+11}}},
     1141.9384559501573},
    {"point and custom: the kink of a user's cylinder was taken for a smooth surface",
     {.type = TACT_POINT, .count = 1, .points = {{0x1.9ac91ad60c458p-3, -0x1.e7ad6b4ca602cp-2, -0x1.cfb4f525b5fb8p-3}}, .at = {{0x1.cf9fabc8fd66fp-9, -0x1.fd04d3b54f46cp-9, -0x1.20600f7e57c44p-7}, {-0x1.36e6e286c0d12p-8, 0x1.e86c7c0b9ec54p-8, -0x1.547e13350462fp-8}, {0x1.1234c9c713d96p-7, 0x1.807948011106fp-8, 0x1.9616138fa7d13p-11}, {0x1.906a774ef77e9p+20, -0x1.3f1cb0afbe764p+23, -0x1.b3a0bd14dc3e8p+21}}},
     {.type = TACT_CYLINDER, .custom = true, .radius = 0x1.6283016fb65a1p-2, .height = 0x1.b98d6a44d44b7p-1, .at = {{0x1.18d632c30c4e3p+19, 0x1.87566ce3c6f1fp+17, 0x1.fc4234b344fefp+17}, {-0x1.3687415bf2b5p+18, 0x1.cbfde3f3e8c15p+18, 0x1.4c26d5abbc46fp+18}, {-0x1.4100748acf69dp+16, -0x1.9a724d3a198bfp+18, 0x1.ed651a9b43694p+18}, {0x1.906a774ef77e9p+20, -0x1.3f1cb0afbe764p+23, -0x1.b3a0bd14dc3e8p+21}}},
     229296.7593624143},
    {"box and custom: the same for a user's hull",
     {.type = TACT_BOX, .size = {0x1.14a78e620c70bp-2, 0x1.4edc9bed211a2p-2, 0x1.c0b9f9ca80b77p-1}, .at = {{-0x1.4bf35435cdd76p+8, -0x1.cbaec5cdc02a3p+7, -0x1.01b4e2d2c78f2p+7}, {-0x1.fc926712ad763p+14, 0x1.2bf3b5732c4ccp+18, -0x1.c526cff1eeb29p+18}, {0x1.50f1a78841004p+18, -0x1.5943215c75769p+18, -0x1.f8580422062e4p+17}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_HULL, .custom = true, .count = 10, .points = {{0x0p+0, 0x1p-2, -0x1p-2}, {0x1p-2, -0x1p-2, 0x0p+0}, {0x1p-2, -0x1p-2, 0x0p+0}, {-0x1p-2, -0x1p-2, 0x1p-2}, {0x1p-2, -0x1p-2, 0x1p-2}, {0x0p+0, -0x1p-2, 0x0p+0}, {0x1p-2, 0x0p+0, -0x1p-2}, {-0x1p-2, 0x1p-2, 0x0p+0}, {0x1p-2, 0x1p-2, -0x1p-2}, {0x0p+0, 0x1p-2, 0x0p+0}}, .at = {{0x1.17e3abbe3fc66p+18, 0x1.8396b9e7b92bep+17, 0x1.b2942c5e97c85p+16}, {-0x1.4ddaeb0978461p+14, 0x1.89cf878cfa069p+17, -0x1.2979631132d8ap+18}, {0x1.ba60bce484c45p+17, -0x1.c54c8d92690c7p+17, -0x1.4b1460fb3ee11p+17}, {0x1.8a3ac44949614p+14, 0x1.ec85570b6ce83p+15, -0x1.c246bb7c387abp+13}}},
     41968.74053931808},
    {"segment and cone: the other side of a kink was asked for its point from too far",
     {.type = TACT_SEGMENT, .count = 2, .points = {{0x1.da79dcf01b5fp-4, -0x1.d292c0028ec8cp-3, 0x1.2bffc91d466e8p-2}, {0x1.f49290c11cbd8p-2, 0x1.8282853c91128p-2, -0x1.b47b25321df0cp-3}}, .at = {{0x1.0f476e67593f1p-26, -0x1.23cc938a6793fp-21, 0x1.01079876b44a5p-24}, {-0x1.12f13fbaf0ca5p-19, -0x1.70d9066c0d041p-30, 0x1.1ba4556222207p-21}, {0x1.13a35158f97a9p-21, 0x1.f6de0d01279dfp-23, 0x1.0b4383796e69ap-19}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.6486637d8ab5p-2, .height = 0x1.666724321d08dp-2, .margin = 0x1.7e9723dd75cdap-25, .at = {{-0x1.b2b4a98aebc0bp-36, -0x1.9869afe886318p-37, 0x1.b3154ba9dd33fp-36}, {0x1.1121176b5d4aep-18, -0x1.1db94ad800aecp-17, 0x1.2bb99a108875p-24}, {0x1.7e2dfd7ba53e4p-18, 0x1.7506e8665a963p-19, 0x1.d563636a4c22fp-18}, {0x1.0a3847dbd42fp-19, -0x1.ec2702da3e27p-22, 0x1.9fd26bbae2172p-20}}},
     -1.9399970303782727e-23},
    {"tetrahedron and cylinder: points across the sharp rim of a needle",
     {.type = TACT_TETRAHEDRON, .margin = 0x1.c7d01cfb67529p+5, .count = 4, .points = {{0x1.1b508f80a055cp-3, -0x1.de11887f5b044p-2, 0x1.9706eff53068p-2}, {0x1.fb58c7316725cp-2, 0x1.3206d2a5ecb18p-2, 0x1.026870c94bfaap-2}, {-0x1.5a2a66758c098p-4, -0x1.3a3c54bc584f8p-3, 0x1.245408d134c3cp-2}, {-0x1.954c1af9866ap-5, -0x1.4563e0017d5dap-2, -0x1.5c7995c0a9a08p-3}}, .at = {{0x1.bf48c946c9b8fp+5, -0x1.c2b72734e2d5ep+5, 0x1.3dac181de2d18p+7}, {-0x1.8cf56a0d07b22p+7, -0x1.92075b51d6b7fp+5, 0x1.a051dd77d38fp+5}, {0x1.0ae34d90c3ea3p+6, -0x1.c6f39f44608e9p+8, -0x1.71b77590b88c7p+7}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CYLINDER, .radius = 0x1.0b541e6057163p-1, .height = 0x1.b1ed1e0a018c6p-1, .at = {{0x1.853cdd272672ep+9, -0x1.4722f1d642f55p+4, -0x1.46740a17d787dp+11}, {0x1.9cdbddf4d846ep-6, -0x1.8bc3dea73ce2ep-6, 0x1.f8a7970cd34d8p-8}, {-0x1.7c35b888e15ep-6, -0x1.afaee72c8f544p-6, -0x1.b7d08a254f748p-8}, {0x1.d72450a31e95p+7, -0x1.99dfa82db0bap+7, -0x1.238fe459d2e23p+8}}},
     8.5430714062001423e-08},
    {"cylinder and triangle: the same",
     {.type = TACT_CYLINDER, .radius = 0x1.6088b747ff83fp-3, .height = 0x1.832be8accc36p-2, .at = {{0x1.0dc868c9fbeccp+1, -0x1.ed116ae1ab78dp-2, -0x1.0fb840bd798b3p-1}, {-0x1.29c03aa8cefdap+10, -0x1.4ddcbb91bd7f8p+10, -0x1.b7cc736504237p+11}, {0x1.baa74cce74786p+8, 0x1.c3e1b17b66d41p+11, -0x1.7c7ec4f5c8fc7p+10}, {0x0p+0, -0x0p+0, 0x0p+0}}},
     {.type = TACT_TRIANGLE, .margin = 0x1.e3c31e6ae0c8ep-17, .count = 3, .points = {{-0x1.42d749f774146p-2, 0x1.67431486b0fdcp-3, 0x1.30f8320c14b2p-4}, {-0x1.11b59ceec946p-3, -0x1.22a39fd835f78p-3, 0x1.ba5967093c67cp-3}, {0x1.1272e7b946e3p-5, -0x1.0ea5d8de6397cp-2, -0x1.ca5ee7728414p-5}}, .at = {{0x1.3b6c5a02e6d61p-15, -0x1.9a3610616f77ep-18, -0x1.e2f8bfa4d592p-16}, {-0x1.368745350bcfbp-15, 0x1.d237f28fa43e9p-15, 0x1.58aa1108083a7p-15}, {0x1.e8287bf796885p-15, -0x1.9e91094def79ep-18, 0x1.11e7a84513ea4p-14}, {0x1.558b9d29ae5aap+7, -0x1.7b14be8c8e1e7p+7, 0x1.a9a9970c7da96p+9}}},
     1.6250663910998395e-09},
    {"capsule and ellipsoid: points off the surface within rounding of touch",
     {.type = TACT_CAPSULE, .radius = 0x1.6e5616b09e917p-1, .height = 0x1.1a96ac5008f64p-3, .at = {{0x1.a7ea4b3721ce5p-17, -0x1.336daf765dep-17, -0x1.1f586d970f2cfp-16}, {-0x1.43dff067c3e34p-16, -0x1.eb72653ae3c93p-19, -0x1.9c14f69d7bf78p-17}, {-0x1.208292467e7e7p-19, -0x1.5fbcf1f666a7cp-16, 0x1.431e108ec9bd7p-17}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_ELLIPSOID, .size = {0x1.0de77bdc98879p-3, 0x1.b0f748e64c6d8p-3, 0x1.48c770b52649dp-3}, .at = {{-0x1.7f2b287d462cbp-12, -0x1.31c2af09de533p-11, 0x1.55316047d8f7ap-12}, {-0x1.60d8c2e1abee9p-12, -0x1.4eb167d16413p-13, -0x1.5c188bd4ca4c6p-11}, {0x1.940465c2c2a1ep+8, -0x1.43f36e712e98cp+8, -0x1.fb95b5339c39fp+6}, {0x1.30cd706ebf522p+5, -0x1.e8cc6c89b7828p+4, -0x1.7ef06a0c0fb95p+3}}},
     -1.9237803447127185e-15},
    {"polygon and triangle: a triangle of 1e-6 at a polygon of 1e5: the gap for finding the points was wide beside it",
     {.type = TACT_POLYGON, .count = 9, .points = {{0x1.2a38218c03909p-1, -0x1.01059af4d366ep-2, -0x1.70b9382876c48p-2}, {-0x1.31acbae78809p-6, -0x1.533259b8f5312p-2, -0x1.1c23818429927p-2}, {-0x1.e4c87869030cp-5, -0x1.0c57e8546d13ap-4, 0x1.3b6ad8835726p-3}, {0x1.5bb435b4e34bcp-1, -0x1.5ea89658ec2edp-3, -0x1.12c0602384362p-2}, {0x1.4f0449c5afb0ap-1, -0x1.936f427233cfbp-3, -0x1.33651d7ed4cfap-2}, {0x1.045a58250ec36p-2, -0x1.6e64c7bfdd828p-2, -0x1.a7ddee3820631p-2}, {-0x1.0f0e90da0e3f8p-4, -0x1.2767fabf120d2p-4, 0x1.2b23073fd4d58p-3}, {0x1.29b344a76ac2fp-3, 0x1.977ebeb5fae7cp-5, 0x1.0e666f19f544ap-2}, {-0x1.b631420de3abp-6, -0x1.4fc5af6174853p-2, -0x1.13e267022e368p-2}}, .at = {{0x1.6ebf7de964901p+8, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.6ebf7de964901p+8, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.b525e9f851c1cp+18}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_TRIANGLE, .count = 3, .points = {{0x1.a086510900b7ep-2, -0x1.cb47b40e6a3ccp-2, 0x1.b3e281efa083p-3}, {-0x1.6f94a595ef76cp-3, -0x1.4796ce96f30f2p-2, -0x1.3ff2f66b165c8p-4}, {-0x1.656ad498a97cp-7, 0x1.4605e5600b2p-4, -0x1.8fab22a4b4756p-2}}, .at = {{0x1.0cbdac02c37e3p-21, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.2174cded9b588p-20, 0x0p+0}, {-0x0p+0, -0x0p+0, -0x1.f45555df8fc7bp-21}, {0x1.cea82df4ffc6ap+7, -0x1.bba02b303b1d7p+5, -0x1.80d5e2e07d1ecp+16}}},
     1.4344979343833742e-09},
    {"custom and cone: a flat user's shape, stretched where it has no extent: rounding was measured by the stretch",
     {.type = TACT_ELLIPSOID, .custom = true, .size = {0x1.48ac618467de9p-3, 0x0p+0, 0x1.05686ad2cd035p-1}, .at = {{-0x1.08eeca37a78b3p-5, -0x0p+0, -0x0p+0}, {0x0p+0, 0x1.ba90e2e3c586ep+8, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.08eeca37a78b3p-5}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.ec79f1f123f97p-2, .height = 0x1.fcdbc59f3fa8bp-3, .at = {{-0x1.59d8a9c2b106bp-16, -0x0p+0, -0x0p+0}, {0x0p+0, 0x1.bd7c45c363a5cp-26, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.59d8a9c2b106bp-16}, {0x1.863120f6284f6p-9, 0x1.bac085d2b4p-29, 0x1.bc00b26cc8114p-7}}},
     -5.375681364859616e-20},
    {"cone and sphere: the base kept Newton's method from the side, which is nearer by 3e-6",
     {.type = TACT_CONE, .radius = 0x1.65dc8d1d8b761p-2, .height = 0x1.edb7b61957812p-3, .at = {{-0x1.06b65354c6456p-3, 0x1.3f17e1e415223p-1, -0x1.dbaa838bddffap+1}, {0x1.8e59c34ae5477p-7, -0x1.840a01491ee0fp-8, -0x1.7250bbeb4a4a7p-10}, {-0x1.aee48824b1f22p+0, -0x1.ab07eb241c1bfp+1, -0x1.00b81ce1af16bp-1}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_SPHERE, .radius = 0x1.5855ea442293p-3, .at = {{0x1.57ae36d2cc0fep-17, 0x1.706a4dfd24cd6p-18, -0x1.d0ecbfd2cbde1p-19}, {-0x1.a2f7199c99cdbp-18, 0x1.b823d4c04f82bp-18, -0x1.0ea3360e2ae63p-17}, {-0x1.dd454285d2b04p-20, 0x1.206f8f1219aa3p-17, 0x1.18b87b378398p-17}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     0.0016407948883930012},
    {"custom and custom: a small user's hull in a user's ball: its kinks were hidden in the roundness",
     {.type = TACT_HULL, .custom = true, .count = 9, .points = {{0x1.c5e059625db56p-2, 0x1.e092295dc9028p-4, 0x1p-3}, {-0x1.79ebfd38c0e08p-3, 0x1.71fa68800335cp-2, 0x1p-3}, {-0x1.d75a2cbd16542p-2, 0x1.1201068ce7f0cp-3, 0x1p-3}, {-0x1.1a4e2e9edfabcp-2, -0x1.1b47b582f07d4p-3, 0x1p-3}, {0x1.c5e059625db56p-2, 0x1.e092295dc9028p-4, 0x1p-3}, {-0x1.e364a8cc1c50ap-2, -0x1.896121f9646f2p-2, 0x1p-3}, {-0x1.2b6bbec011ebp-5, 0x1.fc88b07640d84p-3, 0x1p-3}, {-0x1.e364a8cc1c50ap-2, -0x1.896121f9646f2p-2, 0x1p-3}, {-0x1.b3235a56b34b2p-2, -0x1.62d3ed8a6559ep-2, 0x1p-3}}, .at = {{0x1.355b8fc72a75p-21, 0x1.791aae3e014adp-23, 0x1.51c06707484dap-19}, {0x1.4e2cd5ab45096p-19, -0x1.e7c7e7d976eb5p-22, -0x1.21100d27b3676p-21}, {-0x1.b324ed472c24bp-22, -0x1.55161673d0885p-19, 0x1.220def1e4d2f4p-22}, {-0x1.f2ca9ef98d323p-1, -0x1.8d987d533665cp+3, -0x1.1d11aa059bd1ep+1}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.b839130d3427dp-1, .at = {{-0x1.ba9bb7202308bp-11, -0x1.849948f6bf683p-11, -0x1.68f22161eadb8p-12}, {0x1.a6cda9c3a0056p-11, -0x1.6218f607f7feep-11, -0x1.127856254fee2p-11}, {0x1.159cbacfac177p-13, -0x1.41128a9a507c1p-11, 0x1.0490bc855207ep-10}, {-0x1.f2ca9ef98d323p-1, -0x1.8d987d533665cp+3, -0x1.1d11aa059bd1ep+1}}},
     0.0010099248635233211},
    {"sphere and custom: a flat user's shape, stretched where it has no extent",
     {.type = TACT_SPHERE, .radius = 0x1.f2189028c1554p-2, .at = {{-0x1.ac619710f0db9p-22, 0x1.4c84394152218p-21, 0x1.0ac51db4d89bbp-20}, {-0x1.307a7b2700cfdp-22, -0x1.a1489352dd5d8p-20, 0x1.79f15eecf1254p-22}, {0x1.cce62eeac2e48p-23, -0x1.5af201d99b19p-25, 0x1.5c72d12f9075dp-20}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_BOX, .custom = true, .size = {0x1.94894b8ada163p-1, 0x1.2b780c3689fc3p-3, 0x0p+0}, .at = {{0x1.3cf3190e69d1p-11, 0x1.bf8bb847fc93cp-11, -0x1.c3c6f12eba048p-10}, {-0x1.f84ee3041d27bp-11, -0x1.76e75e153c066p-10, -0x1.1225a5ced563ep-10}, {-0x1.d6bc855b4c98p+8, 0x1.41111ba3f2aa6p+8, -0x1.861ca41b1f19ep+2}, {0x1.120243287d9fap-12, 0x1.891e9ac8c0f41p-12, -0x1.ea39356e4ae4ep-12}}},
     -5.0925686834108811e-14},
    {"cylinder and cone about one origin: no direction at all passed for one along which nothing overlaps",
     {.type = TACT_CYLINDER, .radius = 0x1.02ff155ec199fp-2, .height = 0x1.82f3b44037be8p-2, .at = {{0x1.1c04a4822b077p-16, 0x0p+0, 0x0p+0}, {-0x0p+0, -0x1.f5f0706233fccp-18, -0x0p+0}, {0x0p+0, 0x0p+0, 0x1.a0c03caa2eed3p-15}, {-0x1.ee23f7f6beb22p-8, 0x1.96c94974422cbp-9, -0x1.7d6b56545280ep-9}}},
     {.type = TACT_CONE, .radius = 0x1.d228aca06e02bp-3, .height = 0x1.c2ccde0b78dc8p-3, .margin = 0x1.5914b686450e5p-17, .at = {{0x1.c6ddadaad6e6dp-19, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.3f2e8f4db8982p-16, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.84c636e26d451p-17}, {-0x1.ee23f7f6beb22p-8, 0x1.96c94974422cbp-9, -0x1.7d6b56545280ep-9}}},
     1.3791230747741932e-05},
};
/* clang-format on */

#define STORIES ((int)(sizeof stories / sizeof *stories))

/* Of the largest coordinate: what is allowed besides a millionth of the depth. */
static const double points_rounding = 1e-11, corners_rounding = 1.5e-14, depth_rounding = 1e-14,
                    normal_rounding = 1e-12;

static bool is_polytope(const told *t)
{
    return !t->custom && t->type != TACT_SPHERE && t->type != TACT_CAPSULE && t->type != TACT_CYLINDER &&
           t->type != TACT_CONE && t->type != TACT_ELLIPSOID;
}

static tact_vec3 told_support(void *context, tact_vec3 n)
{
    const told *t = context;
    tact_vec3 unit = vec_unit(n), best = {0.0, 0.0, 0.0};
    double most = -INFINITY;
    if (t->type == TACT_SPHERE)
        return vec_scale(unit, t->radius);
    if (t->type == TACT_BOX)
        return vec_make(copysign(0.5 * t->size.x, n.x), copysign(0.5 * t->size.y, n.y), copysign(0.5 * t->size.z, n.z));
    if (t->type == TACT_ELLIPSOID) {
        best = vec_unit(vec_make(t->size.x * unit.x, t->size.y * unit.y, t->size.z * unit.z));
        return vec_make(t->size.x * best.x, t->size.y * best.y, t->size.z * best.z);
    }
    if (t->type == TACT_CYLINDER) {
        best = vec_scale(vec_unit(vec_make(n.x, 0.0, n.z)), t->radius);
        best.y = copysign(0.5 * t->height, n.y);
        return best;
    }
    for (int i = 0; i < t->count; i++)
        if (vec_dot(t->points[i], unit) > most) {
            most = vec_dot(t->points[i], unit);
            best = t->points[i];
        }
    return best;
}

static tact_shape *make(told *t)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = t->type;
    def.radius = t->radius;
    def.height = t->height;
    def.size = t->size;
    def.points = t->points;
    def.point_count = (size_t)t->count;
    def.margin = t->margin;
    if (t->custom) {
        def.type = TACT_CUSTOM;
        def.support = told_support;
        def.support_context = t;
        def.support_radius = t->radius + t->height + 2.0 * vec_largest(t->size);
        for (int i = 0; i < t->count; i++)
            def.support_radius = fmax(def.support_radius, 1.01 * vec_length(t->points[i]));
    }
    tact_shape *shape = tact_shape_create(&def, NULL);
    assert_non_null(shape);
    return shape;
}

static double largest_of(const tact_shape *shape, tact_placement at)
{
    tact_bounds box;
    assert_int_equal(tact_shape_bounds(shape, at, &box), TACT_OK);
    return fmax(vec_largest(box.min), vec_largest(box.max));
}

static double off(const tact_shape *shape, tact_placement at, tact_vec3 p)
{
    tact_closest c = tact_shape_closest(shape, at, p);
    assert_int_equal(c.status, TACT_OK);
    return c.distance;
}

/* Whether the depth of the pair is right in every respect; tells where not. */
static bool is_right(const char *what, const tact_shape *a, tact_placement at_a, const tact_shape *b,
                     tact_placement at_b, double depth, double points)
{
    tact_depth d = tact_shapes_depth(a, at_a, b, at_b);
    double big = fmax(largest_of(a, at_a), largest_of(b, at_b)), slack = 1e-6 * fabs(depth);
    tact_vec3 top, bottom;
    assert_int_equal(tact_shape_support(a, at_a, d.normal, &top), TACT_OK);
    assert_int_equal(tact_shape_support(b, at_b, vec_negate(d.normal), &bottom), TACT_OK);
    double error = fabs(d.depth - depth), left = vec_dot(d.normal, vec_sub(top, bottom)) - d.depth;
    double off_a = off(a, at_a, d.on_a), off_b = off(b, at_b, d.on_b);
    double apart = vec_length(vec_along(vec_sub(d.on_a, d.on_b), -d.depth, d.normal));
    /* Apart, the points count, and the normal lies along them. */
    bool right = d.status == TACT_OK && error <= slack + depth_rounding * big &&
                 (d.depth <= 0.0 || left <= slack + normal_rounding * big) &&
                 fmax(off_a, off_b) <= slack + points * big && apart <= slack + points * big;
    if (!right)
        print_error("%s\n  status %d, depth %.17g wrong by %.3g, overlap left %.3g, points off by %.3g and %.3g, apart "
                    "by %.3g more, of size %.3g\n",
                    what, (int)d.status, d.depth, error, left, off_a, off_b, apart, big);
    return right;
}

static void what_was_wrong_is_right(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    int wrong = 0, turned_wrong = 0;
    for (int i = 0; i < STORIES; i++) {
        story s = stories[i];
        tact_shape *a = make(&s.a), *b = make(&s.b);
        double points = is_polytope(&s.a) && is_polytope(&s.b) ? corners_rounding : points_rounding;
        wrong += !is_right(s.what, a, s.a.at, b, s.b.at, s.depth, points);
        for (int turns = 0; turns < 4; turns++) {
            /* About the origin of A, so that the rounding of the turn is small. */
            tact_placement at_a = s.a.at, at_b = s.b.at,
                           turn = tact_place(vec_make(0.0, 0.0, 0.0), random_rotation(&r), vec_make(1.0, 1.0, 1.0));
            at_b.origin = vec_sub(at_b.origin, at_a.origin);
            at_a.origin = vec_make(0.0, 0.0, 0.0);
            at_a = tact_placement_compose(turn, at_a);
            at_b = tact_placement_compose(turn, at_b);
            /* what the rounding of the turn itself changes */
            double depth = tact_shapes_depth(a, at_a, b, at_b).depth;
            bool same = fabs(depth - s.depth) <= 1e-6 * fabs(s.depth) + depth_rounding * largest_of(a, at_a) +
                                                     depth_rounding * largest_of(b, at_b);
            turned_wrong += !same || !is_right(s.what, a, at_a, b, at_b, depth, points);
            if (!same)
                print_error("%s\n  turned: depth %.17g, was %.17g\n", s.what, depth, s.depth);
        }
        tact_shape_release(a);
        tact_shape_release(b);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(turned_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_wrong_is_right)};
    return cmocka_run_group_tests_name("depth cases", tests, NULL, NULL);
}
