-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
-- Collection register of a regional museum (SQLite 3)

CREATE TABLE "Artist" (
    "ArtistId" INTEGER PRIMARY KEY NOT NULL,
    "Name" NVARCHAR(120) NOT NULL,
    "Born" INTEGER,
    "Died" INTEGER,
    "Nationality" NVARCHAR(40),
    CHECK ("Died" IS NULL OR "Died" >= "Born")
);

CREATE TABLE "Gallery" (
    "GalleryCode" VARCHAR(4) PRIMARY KEY NOT NULL,
    "Title" NVARCHAR(80) NOT NULL,
    "Humidity" REAL DEFAULT 50.0, -- target relative humidity in percent
    "IsOpen" BOOLEAN NOT NULL DEFAULT 1
);

CREATE TABLE "Artwork" (
    "AccessionNo" VARCHAR(12) PRIMARY KEY NOT NULL,
    "Title" NVARCHAR(160) NOT NULL,
    "ArtistId" INTEGER,
    "Medium" NVARCHAR(40) NOT NULL CHECK ("Medium" IN ('oil', 'watercolour', 'bronze', 'print', 'ceramic', 'textile')),
    "YearMade" INTEGER,
    "InsuredValue" NUMERIC(12,2),
    "GalleryCode" VARCHAR(4), -- NULL while in storage
    "StudyForNo" VARCHAR(12), -- the finished work that this one prepared
    FOREIGN KEY ("ArtistId") REFERENCES "Artist" ("ArtistId") ON DELETE SET NULL ON UPDATE NO ACTION,
    FOREIGN KEY ("GalleryCode") REFERENCES "Gallery" ("GalleryCode"),
    FOREIGN KEY ("StudyForNo") REFERENCES "Artwork" ("AccessionNo")
);

CREATE TABLE "LoanOut" (
    "AccessionNo" VARCHAR(12) NOT NULL,
    "Borrower" NVARCHAR(100) NOT NULL,
    "LeftOn" DATE NOT NULL,
    "DueBack" DATE NOT NULL,
    "ReturnedOn" DATE,
    CONSTRAINT "PK_LoanOut" PRIMARY KEY ("AccessionNo", "LeftOn"),
    FOREIGN KEY ("AccessionNo") REFERENCES "Artwork" ("AccessionNo") ON DELETE CASCADE
);

CREATE INDEX "IFK_ArtworkArtistId" ON "Artwork" ("ArtistId");

INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (1, 'Adela Norwyck', 1841, 1919, 'English');
INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (2, 'Willem Tersteegh', 1868, 1937, 'Dutch');
INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (3, 'Ottavia Ferrandi', 1902, 1988, 'Italian');
INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (4, 'Mbali Ndlozana', 1974, NULL, 'South African');

INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (5, 'Henrik Solvang', 1885, 1949, 'Norwegian');
INSERT INTO "Artist" ("ArtistId", "Name", "Born", "Died", "Nationality") VALUES (6, 'Céleste Aubrac', 1931, NULL, 'French');

INSERT INTO "Gallery" ("GalleryCode", "Title", "Humidity", "IsOpen") VALUES ('G1', 'Landscape and Sea', 50.0, 1);
INSERT INTO "Gallery" ("GalleryCode", "Title", "Humidity", "IsOpen") VALUES ('G2', 'Works on Paper', 45.5, 1);
INSERT INTO "Gallery" ("GalleryCode", "Title", "Humidity", "IsOpen") VALUES ('G3', 'Contemporary', 52.0, 0);

INSERT INTO "Artwork" VALUES ('1911.004', 'Boats at Low Water', 1, 'oil', 1889, 64000, 'G1', NULL);
INSERT INTO "Artwork" VALUES ('1911.005', 'Study of Two Boats', 1, 'watercolour', 1888, 4200, 'G2', '1911.004');
INSERT INTO "Artwork" VALUES ('1938.021', 'Polder in March', 2, 'oil', 1904, 38500, 'G1', NULL);
INSERT INTO "Artwork" VALUES ('1938.022', 'Windmill, Evening', 2, 'print', 1911, 1800, 'G2', NULL);
INSERT INTO "Artwork" VALUES ('1990.110', 'Seated Figure', 3, 'bronze', 1956, 87000, NULL, NULL);
INSERT INTO "Artwork" VALUES ('2019.007', 'Threshold No. 4', 4, 'textile', 2017, 22500, 'G3', NULL);
INSERT INTO "Artwork" VALUES ('1874.001', 'Slipware dish', NULL, 'ceramic', NULL, 950.5, 'G3', NULL);

INSERT INTO "Artwork" VALUES ('1926.013', 'Fishing Village, Winter', 5, 'oil', 1921, 27000, 'G1', NULL);
INSERT INTO "Artwork" VALUES ('1926.014', 'Sketch for Fishing Village', 5, 'watercolour', 1920, 2100, 'G2', '1926.013');
INSERT INTO "Artwork" VALUES ('1972.040', 'Blue Vessel', 6, 'ceramic', 1968, 5400, NULL, NULL);
INSERT INTO "Artwork" VALUES ('1972.041', 'Woven Field', 6, 'textile', 1970, 8800, 'G3', NULL);
INSERT INTO "Artwork" VALUES ('2021.002', 'Threshold No. 9', 4, 'textile', 2020, 31000, 'G3', NULL);

INSERT INTO "LoanOut" VALUES ('1911.004', 'Harbour Museum, Esbjerg', '2018-04-02', '2018-10-01', '2018-09-27');
INSERT INTO "LoanOut" VALUES ('1990.110', 'Fondazione Ponte', '2023-05-15', '2024-05-14', NULL);
INSERT INTO "LoanOut" VALUES ('1938.021', 'Stedelijk Huis, Deventer', '2021-02-01', '2021-06-30', '2021-07-06');
INSERT INTO "LoanOut" VALUES ('1911.004', 'Coastal Gallery, Whitby', '2022-03-10', '2022-08-31', '2022-08-31');
INSERT INTO "LoanOut" VALUES ('1926.013', 'Harbour Museum, Esbjerg', '2019-01-15', '2019-04-30', '2019-04-28');
INSERT INTO "LoanOut" VALUES ('2019.007', 'Kunsthalle am Fluss', '2024-02-01', '2024-08-31', NULL);
